"""The exceptions of Almunia. Their messages are sentences for users."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Self


def one_of(words: Iterable[str], meant: str) -> str:
    """Return the end of a message on an unknown word: all known words, and a suggestion if a known word is similar."""
    from difflib import get_close_matches  # imported here, because few programs need it

    known = list(words)
    near = get_close_matches(meant, known, 1)
    return f"{', '.join(known)}." + (f" Did you mean {near[0]!r}?" if near else "")


class AlmuniaError(Exception):
    """The base class of all exceptions of this package."""


class SetupError(AlmuniaError, ValueError):
    """A game, seat count, option, seed, bot or component file that cannot be used."""


def busy(thing: object) -> SetupError:
    """Return the error for an object that two threads use at the same time, which corrupts data in kernels."""
    return SetupError(f"{thing!r} is at work for another thread: one may use it at a time.")


class UnknownOption(SetupError, TypeError):
    """An unknown option or keyword argument. It is also a TypeError, like Python's error for unknown keywords."""


class Unreachable(SetupError):
    """A server or program that does not answer at present."""


class IllegalAction(AlmuniaError, ValueError):
    """An action that is not legal in this position."""


class UndoRefused(AlmuniaError):
    """An undo across new information or into another seat's turn."""


class RecordError(AlmuniaError, ValueError):
    """A record, saved play or scenario that is damaged, of another game or of another version."""


class BotFailure(AlmuniaError):
    """A bot that returned no legal action."""


class MissingExtra(AlmuniaError, ImportError):
    """A feature that needs a package which is not installed."""

    @classmethod
    def named(cls, what: str, package: str | None, extra: str) -> Self:
        """Return the error with the missing package and the command that installs it."""
        sentence = f"{what} the package {package}, which is not installed: pip install 'almunia[{extra}]'."
        return cls(sentence, name=package)


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Raise MissingExtra if an import in this block does not find a package. The message begins with `what`."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == __package__:
            raise
        raise MissingExtra.named(what, package, extra) from None
