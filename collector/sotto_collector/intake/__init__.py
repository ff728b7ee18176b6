"""From a batch on the wire to counted reports: parsed, held to limits, committed in groups, tidied."""
