"""Forms of other programs become survey files. Pure, but for the command: a document in, an author's definition out."""
