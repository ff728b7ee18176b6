"""The results page: a Flask blueprint that shows a survey's estimates. Flask comes with `sottovoce[collector]`."""
