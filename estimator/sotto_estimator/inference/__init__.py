"""What is known of reports, by the kind of mechanism that made them: one registry for all who estimate."""
