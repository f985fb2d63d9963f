"""A play told in words, as one reader may know it: for the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.contract import Line
from ..core.words import count_of

if TYPE_CHECKING:
    from ..core.play import Play


def apply_and_tell(play: "Play", action: int, readers: Sequence[int]) -> dict[int, list[Line]]:
    """Do an action; returns for each of these readers (seats, or SPECTATOR) what it may know of it."""
    before = [play.observe(reader) for reader in readers]
    play.apply(action)
    return {view.seat: view.tell(action, play.observe(view.seat)) for view in before}


def result_lines(play: "Play", names: Sequence[str]) -> list[str]:
    """How a play ended: the reason, then each seat in order of rank with how its result came about."""
    outcome = play.outcome
    if outcome is None:
        return [f"The game is not over: it is {names[play.turn]}'s turn."]
    lines = [outcome.reason]
    for seat in sorted(range(play.seats), key=lambda seat: outcome.ranks[seat]):
        if play.seats > 1:
            apart = "".join(f", {name} {value}" for name, value in play.tie_breaks(seat))
            lines.append(f"{outcome.ranks[seat]}. {names[seat]}: {count_of(outcome.scores[seat], 'point')}{apart}")
        lines += [f"   {sentence}" for sentence in play.game.text.verdict(play.observe(seat).state, seat)]
    return lines


def seat_names(seats: int, given: Sequence[str] = ()) -> list[str]:
    """A name for each seat: the one given, or a number from 1 on."""
    return [given[seat] if seat < len(given) and given[seat] else f"Player {seat + 1}" for seat in range(seats)]
