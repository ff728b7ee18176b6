"""`sotto classroom`: a room answers on its phones, and sees on the wall how a range closes."""
