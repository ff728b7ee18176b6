"""Where reports come from: a collector, tally files, record files, archives."""
