"""An author's work: turning what other programs write into survey definitions. No device loads it.

Pure, like the rest of the protocol: a document in, an author's definition out.
"""
