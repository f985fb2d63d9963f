"""An analysis without searches, for tests of what a site does with it."""

from almunia.analysis import Decision, PlayAnalysis
from almunia.luck import DEAL, Balance, Draw, Luck, SeatLuck


def cheap(play, progress=lambda _done, _all: None):
    """Judge a play without searches: each first legal action is best, and each seat's second choice is a mistake."""
    again, decisions, made = play.game.start(play.seats, play.seed, play.options), [], [0] * play.seats
    for number, action in enumerate(play.actions, 1):
        seat = again.turn
        if len(again.legal_actions) > 1:
            made[seat] += 1
            lost = 0.15 if made[seat] == 2 else 0.0
            chance = None if play.seats == 1 else 0.5
            best, points = again.legal_actions[-1], 20 * lost or 0.2
            decisions.append(Decision(number, seat, action, best, chance, 1.0, lost, points))
        again.apply(action)
        progress(number, len(play.actions))
    return PlayAnalysis.of(play.game.name, 400, 0, play.seats, decisions, cheap_luck(play))


def cheap_luck(play):
    """Return luck without measuring it: each seat was unlucky by 7 points."""
    alone = play.seats == 1
    seats = [
        SeatLuck(
            Balance(20.0, 1.5, -7.0, 3.0, 2.6, float(points)),
            None if alone else Balance(0.5, 0.0, 0.0, 0.02, 0.02, 1.0),
        )
        for points in play.points
    ]
    draw = Draw(DEAL, (-7.0,) * play.seats, () if alone else (0.0,) * play.seats)
    return Luck(tuple(seats), (draw,))
