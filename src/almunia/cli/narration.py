"""Log lines, results and names of a play, as one viewer may read them."""

from collections.abc import Sequence

from ..core.contract import RichLine
from ..core.english import pluralize
from ..play.play import Play


def apply_and_log(play: Play, action: int, viewers: Sequence[int]) -> dict[int, list[RichLine]]:
    """Apply an action, and return the log lines for each viewer (a seat, or SPECTATOR)."""
    observations = [play.observe(viewer) for viewer in viewers]
    play.apply(action)
    return {
        observation.seat: observation.log_lines(action, play.observe(observation.seat)) for observation in observations
    }


def result_lines(play: Play, names: Sequence[str]) -> list[str]:
    """Return the lines on a play's result: the reason for its end, then the result of each seat, by rank.

    If the play is not over, return a line that says whose turn it is.
    """
    outcome = play.outcome
    if outcome is None:
        return [f"The game is not over: it is {names[play.turn]}'s turn."]
    lines = [outcome.reason]
    for seat in sorted(range(play.seats), key=lambda seat: outcome.ranks[seat]):
        if play.seats > 1:
            tie_breaks = "".join(f", {name} {value}" for name, value in play.tie_breaks(seat))
            lines.append(
                f"{outcome.ranks[seat]}. {names[seat]}: {pluralize(outcome.scores[seat], 'point')}{tie_breaks}"
            )
        lines += [f"   {sentence}" for sentence in play.game.text.result_lines(play.observe(seat).state, seat)]
    return lines


def seat_names(seats: int, names: Sequence[str] = ()) -> list[str]:
    """Return a name for each seat: the name in `names`, or "Player N" with N from 1."""
    return [names[seat] if seat < len(names) and names[seat] else f"Player {seat + 1}" for seat in range(seats)]
