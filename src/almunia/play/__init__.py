"""One session of a game: stepped, undone, observed, recorded, shown.

position, cursor, play                      a state, stepping it, and a play with what a seat knows of it
record, pasted, serialization               a play as text, also as it comes by mail, and as bytes
describe, panels                            a position in words, as data and as pictures
tutorial                                    the first game that teaches
"""
