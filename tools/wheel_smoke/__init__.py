"""Smoke tests of the wheel: install it with one extra at a time, and run the framework's own tests."""
