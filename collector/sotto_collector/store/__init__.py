"""The store: one contract, two databases."""

from sotto_collector.store.records import Part, Records
from sotto_collector.store.store import Store
from sotto_collector.store.stored import StoredSurvey
from sotto_collector.store.tokens import StoredToken, TokenTable

__all__ = ["Part", "Records", "Store", "StoredSurvey", "StoredToken", "TokenTable"]
