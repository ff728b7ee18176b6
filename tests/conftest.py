"""What holds for all tests."""

from hypothesis import settings

settings.register_profile("sotto", deadline=None)  # a busy machine is no failure
settings.load_profile("sotto")
