"""`sotto simulate`: made-up people through the code of devices to the intervals, again and again."""
