"""Sessions of a game: stepping, undo, observations, records and pictures.

position, cursor, play          a state, a state that can be stepped, and a play with observations
record, serialization           a play as text, including text from mails, and as bytes
describe, panels                a position in words, as data and as pictures
lesson                          the guided first game
"""
