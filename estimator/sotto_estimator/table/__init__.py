"""Tables: chosen columns of a CSV, read in bounded memory."""
