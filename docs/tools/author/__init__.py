"""What helps to write exercises: see command.py."""
