"""What an alert says: which game waits, who sits there, and where it is. It tells nothing of the game itself."""

from collections.abc import Sequence
from typing import NamedTuple

from ...core.english import join_words, pluralize


class TurnNotification(NamedTuple):
    """A turn that waits, as it's told."""

    table: str  # its id, by which a later message replaces an earlier one
    title: str  # of the game
    others: tuple[str, ...]  # who else sits there
    link: str
    sample: bool = False  # does it only show what alerts look like?

    @property
    def headline(self) -> str:
        """What a message begins with."""
        return "A test of your alerts" if self.sample else f"Your turn in {self.title}"

    @property
    def words(self) -> str:
        """All of it in one sentence."""
        return "This is a test of your alerts." if self.sample else f"It's your turn: {self}"

    def __str__(self) -> str:
        """In words: `Oregon, with Ann and Medium bot`."""
        return f"{self.title}, with {join_words(self.others)}" if self.others else self.title


def subject(turns: Sequence[TurnNotification]) -> str:
    """What a mail is about."""
    if len(turns) == 1:
        return turns[0].headline
    return f"Your turn in {pluralize(len(turns), 'game')}"


def letter(name: str, turns: Sequence[TurnNotification], stop: str) -> str:
    """The text of a mail."""
    rows = "\n".join(f"{turn}\n{turn.link}\n" for turn in turns)
    lead = (
        "this is a test: so you will be told when it's your turn." if turns[0].sample else f"it's your turn:\n\n{rows}"
    )
    return (
        f"Hello {name},\n\n{lead}\n"
        "At most one mail an hour is sent. To get no more of them, open this page and press the button:\n"
        f"{stop}\n"
    )


def confirming(link: str) -> tuple[str, str]:
    """The subject and text of the mail that asks whether somebody wants alerts: no word in it is a guest's."""
    return "Do you want mails when it's your turn?", (
        "Somebody has given this address on Almunia, to be told by mail when it's their turn in a game.\n\n"
        f"If that is you, open this page and press the button:\n\n{link}\n\n"
        "If not, please ignore this mail: nothing more will be sent.\n"
    )
