"""The exceptions of Almunia, with messages that are sentences for users."""

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
    """The base class of this package's exceptions for its users, except `ScenarioFailed`."""


class SetupError(AlmuniaError, ValueError):
    """An argument, file or setting that cannot be used, such as an unknown game, a wrong seed or a missing folder."""


def busy(thing: object) -> SetupError:
    """Return the error for an object that two threads use at the same time, which corrupts data in kernels."""
    return SetupError(f"{thing!r} is at work for another thread: one may use it at a time.")


class UnknownOption(SetupError, TypeError):
    """An unknown option or keyword argument; a TypeError, too, like Python's error for unknown keywords."""


class Unreachable(SetupError):
    """A database or site that does not answer at present."""


class IllegalAction(AlmuniaError, ValueError):
    """An action that is not legal in the position, or an action while no game is running."""


class UndoRefused(AlmuniaError):
    """An undo that is not possible, such as across new information or into another turn."""


class RecordError(AlmuniaError, ValueError):
    """A record, saved play or scenario that cannot be read or replayed, or a play that has no record."""

    action: int | None = None  # the number, from 1, of the action of a record that cannot be played


class BotFailure(AlmuniaError):
    """A bot that chose no legal action, or whose program failed or did not answer in time."""


class MissingExtra(AlmuniaError, ImportError):
    """A feature that needs a package or a device that is missing."""

    @classmethod
    def named(cls, what: str, package: str | None, extra: str) -> Self:
        """Return the error with the missing package and the command that installs it.

        `what` begins the sentence, such as "Pictures need". `extra` is the extra with the package.
        """
        sentence = f"{what} the package {package}, which is not installed: pip install 'almunia[{extra}]'."
        return cls(sentence, name=package)


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Replace a ModuleNotFoundError of this block by MissingExtra, as `MissingExtra.named` makes it.

    If a module of this package is missing, pass on the ModuleNotFoundError.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == __package__:
            raise
        raise MissingExtra.named(what, package, extra) from None
