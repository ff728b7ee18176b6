"""Where people did not do as the design says: samples that disagree, models with a part for that, "what if" curves."""
