"""What the package does, a module for each command."""
