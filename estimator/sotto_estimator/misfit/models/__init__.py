"""Models with a part for people who do not do as the design says: who they may be, fitted by maximum likelihood."""
