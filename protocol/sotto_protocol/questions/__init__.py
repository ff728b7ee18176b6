"""Question types, a file each: what may be answered, and how it becomes numbers."""
