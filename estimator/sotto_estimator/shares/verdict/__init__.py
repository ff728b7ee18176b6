"""What estimates mean: what is known of each answer, which are more common, and what more reports would give."""
