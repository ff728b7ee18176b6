"""Archives: noisy reports as Parquet files, made from a collector or its database, and counted anywhere.

Needs the extra `scale` (pyarrow), and for a cluster `cluster` (distributed); nothing else of the collector imports this
package when it starts.
"""
