"""The joint distribution of two or three questions of one survey, from its reports."""
