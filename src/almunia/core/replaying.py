"""Records played again, which finds out whether they are true."""

from typing import TYPE_CHECKING

from ..errors import AlmuniaError, IllegalAction, RecordError
from .arguments import checked_number
from .game import Build, game

if TYPE_CHECKING:
    from .play import Play
    from .record import Record


def replay(record: "Record", stop: int | None = None, build: Build = "compiled") -> "Play":
    """The play that a record tells of, after its first `stop` actions or all of them.

    Raises:
        SetupError: the game, seats or options are unknown here, or `stop` is no number of actions.
        RecordError: other rules or components, an action that is not legal, or another result.
    """
    last = len(record.actions) if stop is None else checked_number("actions", stop, 0)
    play = start(record, build)
    for number, (seat, words) in enumerate(record.actions[:last], 1):
        try:
            if play.turn != seat:
                raise IllegalAction(f"it is seat {play.turn + 1}'s turn, not seat {seat + 1}'s.")
            play.apply(play.hear(words))
        except AlmuniaError as error:
            raise RecordError(f"Action {number} ({words!r}) cannot be played: {error}") from None
    if stop is None and record.result and (not play.outcome or play.outcome.scores != record.result):
        said, found = " ".join(map(str, record.result)), "no result yet"
        if play.outcome:
            found = " ".join(map(str, play.outcome.scores))
        raise RecordError(f"The record says the result is {said}, but playing it again gives {found}.")
    return play


def start(record: "Record", build: Build = "compiled") -> "Play":
    """The play of a record before its first action."""
    this = game(record.game, build)
    if record.rules != this.meta.rules_version:
        raise RecordError(
            f"The record was played under rules {record.rules} of {this.meta.title}; here are rules "
            f"{this.meta.rules_version}, under which it might go otherwise."
        )
    if record.components != this.components:
        raise RecordError(
            f"The record was played with component tables {record.components} of {this.meta.title}; here are "
            f"{this.components}. Point ALMUNIA_COMPONENTS at the folder of the tables it was played with."
        )
    return this.start(record.seats, record.seed, record.options)
