"""`sotto verify`: compares what a collector serves to visitors with what its release and its survey make."""

from sotto_author.verification.verification import verify

__all__ = ["verify"]
