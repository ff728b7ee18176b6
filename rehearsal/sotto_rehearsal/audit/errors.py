"""What an audit refuses. No message quotes a report or an answer: it names the line, and what was expected."""

from sotto_protocol import SottoError


class AuditError(SottoError):
    """A program that cannot be audited: it is missing, hangs, ends early, or prints what is no report."""
