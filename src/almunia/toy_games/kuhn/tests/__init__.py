"""The tests of Kuhn poker."""
