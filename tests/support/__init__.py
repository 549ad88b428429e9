"""What tests share: tables, results looked into, commands, Spark and a browser."""
