"""Archives: noisy reports as Parquet files, made from a collector or its database, and counted anywhere.

Needs the extra `scale` (pyarrow), and `cluster` needs `cluster` (distributed); nothing else of the collector imports this package when it starts.
"""
