"""What runs on the way to a command and while it runs."""
