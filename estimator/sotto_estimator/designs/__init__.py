"""How people were asked on paper, or by another program: designs by name, and what their reports say."""
