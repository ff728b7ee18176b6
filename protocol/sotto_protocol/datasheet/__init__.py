"""A survey on one page, for who decides whether it may be asked: an ethics board, a data-protection officer."""
