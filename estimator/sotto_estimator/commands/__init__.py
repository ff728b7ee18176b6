"""The commands: what is typed, checked and turned into a call; click is here alone."""
