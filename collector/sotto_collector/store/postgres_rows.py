"""Rows as PostgreSQL copies them in: its binary format, every field after its length."""

import numpy as np
from numpy.typing import NDArray

from sotto_collector.store.dialect import Ids

_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"


def copy_rows(part: int, ids: Ids, records: NDArray[np.uint8]) -> bytes:
    """Return rows (part, report_id, packed) to be copied."""
    width = records.shape[1]
    fields = [("n_fields", ">i2"), ("part_bytes", ">i4"), ("part", ">i4"), ("id_bytes", ">i4"), ("id", "V16")]
    rows = np.empty(len(ids), np.dtype([*fields, ("packed_bytes", ">i4"), ("packed", f"V{width}")]))
    rows["n_fields"], rows["part_bytes"], rows["part"], rows["id_bytes"], rows["packed_bytes"] = 3, 4, part, 16, width
    rows["id"] = ids
    if width:
        rows["packed"] = np.ascontiguousarray(records).view(f"V{width}").ravel()
    return _SIGNATURE + rows.tobytes() + _END
