"""The operator's commands, a file for each subject."""
