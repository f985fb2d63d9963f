"""One thread at a time: in machine code no lock of Python's is held, so two would write over each other's memory.

What is called too often for a lock of its own notes instead that it is `busy`. Between the look at that and the note
the interpreter never turns to another thread, for it does so at calls and at the ends of loops alone.
"""

from ..errors import SetupError


def in_use(thing: object) -> SetupError:
    """The refusal of a second thread that would use something."""
    return SetupError(f"{thing!r} is at work for another thread: one may use it at a time.")
