"""Texts of notifications: the game, its players and a link, without facts of the position."""

from collections.abc import Sequence
from typing import NamedTuple

from ...core.english import join_words, pluralize
from ..clock import format_duration


class TurnNotification(NamedTuple):
    """The content of a notification: of a turn, of a clock that is about to expire, or of an invitation."""

    table: str  # id, by which a later push message replaces an earlier one
    title: str  # of the game
    others: tuple[str, ...]  # names of the other players
    link: str
    sample: bool = False  # whether it is a test message
    is_invitation: bool = False  # to an open seat
    seconds_left: float = 0.0  # on the player's clock, if this is a reminder

    @property
    def headline(self) -> str:
        if self.is_invitation:
            return f"You're invited to {self.title} with {join_words(self.others)}"
        if self.seconds_left:
            return f"Your time in {self.title} ends in {format_duration(self.seconds_left) or 'less than a minute'}"
        return "A test of your alerts" if self.sample else f"Your turn in {self.title}"

    @property
    def text(self) -> str:
        """The notification in one sentence."""
        if self.is_invitation:
            return f"{self.headline}."
        if self.seconds_left:
            return f"{self.headline}: it's your turn{self.company}."
        return "This is a test of your alerts." if self.sample else f"It's your turn: {self}"

    def __str__(self) -> str:
        """Return game and players in words: `Oregon, with Ann and Medium bot`."""
        return f"{self.title}{self.company}"

    @property
    def company(self) -> str:
        return f", with {join_words(self.others)}" if self.others else ""


def email_subject(turns: Sequence[TurnNotification]) -> str:
    if len(turns) == 1:
        return turns[0].headline
    if any(turn.is_invitation or turn.seconds_left for turn in turns):
        return f"News from {pluralize(len(turns), 'game')}"
    return f"Your turn in {pluralize(len(turns), 'game')}"


def email_body(name: str, turns: Sequence[TurnNotification], stop: str) -> str:
    others = [turn for turn in turns if turn.is_invitation or turn.seconds_left]
    waiting = "\n".join(f"{turn}\n{turn.link}\n" for turn in turns if turn not in others)
    news = "\n".join(f"{turn.text}\n{turn.link}\n" for turn in others)
    lead = "\n".join([f"it's your turn:\n\n{waiting}"] * bool(waiting) + [news] * bool(news))
    if turns[0].sample:
        lead = "this is a test of the message that you get when it's your turn."
    return (
        f"Hello {name},\n\n{lead}\n"
        "You get at most one email an hour. To stop these emails, open this page and press the button:\n"
        f"{stop}\n"
    )


def confirmation_email(link: str) -> tuple[str, str]:
    """Return subject and text of the email that asks for consent, without any text of a guest, against abuse."""
    return "Do you want emails when it's your turn?", (
        "A player has entered this address on Almunia, to get an email when it's their turn in a game.\n\n"
        f"If that is you, open this page and press the button:\n\n{link}\n\n"
        "If not, please ignore this email. You won't get another one.\n"
    )
