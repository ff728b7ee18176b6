"""What results mean, in words."""
