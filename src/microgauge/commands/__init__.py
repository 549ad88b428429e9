"""What the package does: assess, rank, diagnose, draft a schema, explore."""
