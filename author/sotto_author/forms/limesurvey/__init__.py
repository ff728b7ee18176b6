"""Survey structures of LimeSurvey: tab-separated (.txt) and XML (.lss)."""
