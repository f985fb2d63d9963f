"""Everything Almunia raises on purpose. A message is a sentence for the person who reads it."""


class AlmuniaError(Exception):
    """The root of all errors of this package."""


class SetupError(AlmuniaError):
    """A game, seat count, option, seed, bot or component file that cannot be used as given."""


class IllegalAction(AlmuniaError):
    """An action that the rules do not offer in this position."""


class UndoRefused(AlmuniaError):
    """A step back across new information or into another seat's turn."""


class RecordError(AlmuniaError):
    """A record, saved play or scenario that is damaged, foreign or of another version."""


class BotFailure(AlmuniaError):
    """A bot that gave no legal action when it was asked for one."""


class MissingExtra(AlmuniaError):
    """Something that needs a package which is not installed."""
