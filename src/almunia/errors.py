"""Everything Almunia raises on purpose. A message is a sentence for the person who reads it."""

from collections.abc import Iterable
from typing import Self


def one_of(words: Iterable[str], meant: str) -> str:
    """The end of a message on a word that is none of these: all of them, and the one that was meant if one is near."""
    from difflib import get_close_matches  # seldom wanted

    known = list(words)
    near = get_close_matches(meant, known, 1)
    return f"{', '.join(known)}." + (f" Did you mean {near[0]!r}?" if near else "")


class AlmuniaError(Exception):
    """The root of all errors of this package."""


class SetupError(AlmuniaError, ValueError):
    """A game, seat count, option, seed, bot or component file that cannot be used as given."""


def busy(thing: object) -> SetupError:
    """Return the error for a second thread that would use something: compiled code holds no lock of Python's."""
    return SetupError(f"{thing!r} is at work for another thread: one may use it at a time.")


class UnknownOption(SetupError, TypeError):
    """An option or keyword argument that is not known, which is a TypeError wherever Python itself refuses one."""


class Unreachable(SetupError):
    """What is needed does not answer, now; it may later."""


class IllegalAction(AlmuniaError, ValueError):
    """An action that the rules do not offer in this position."""


class UndoRefused(AlmuniaError):
    """A step back across new information or into another seat's turn."""


class RecordError(AlmuniaError, ValueError):
    """A record, saved play or scenario that is damaged, foreign or of another version."""


class BotFailure(AlmuniaError):
    """A bot that gave no legal action when it was asked for one."""


class MissingExtra(AlmuniaError, ImportError):
    """Something that needs a package which is not installed."""

    @classmethod
    def named(cls, what: str, package: str | None, extra: str) -> Self:
        """What is missing for what, and how to get it."""
        sentence = f"{what} the package {package}, which is not installed: pip install 'almunia[{extra}]'."
        return cls(sentence, name=package)
