"""The tests of High Card."""
