"""The HTTP interface: each file a resource, or what holds for all of them (docs/http.md)."""
