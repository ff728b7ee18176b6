"""A survey beside what a trusted curator would know, what its epsilons add up to, and what shuffled reports reveal."""
