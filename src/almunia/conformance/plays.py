"""Copies, saved bytes, records, undo, and what is refused."""

from random import Random

from ..errors import IllegalAction, UndoRefused
from ..library import replay
from ..play.record import Record
from .case import Case, Failure, check, require


@check
def copies_are_independent(case: Case) -> None:
    """A copy goes its own way, and saved bytes come back as they were."""
    for play in case.positions(case.fast, every=5):
        before = play.to_state()
        twin, saved = play.copy(), case.fast.from_bytes(play.to_bytes())
        require(saved.to_state() == before and saved.actions == play.actions, "Saved bytes came back changed.")
        if not play.over:
            twin.apply(twin.legal_actions[-1])
            require(play.to_state() == before, "An action on a copy has changed the original.")


@check
def records_come_back(case: Case) -> None:
    """A record in text and in JSON replays to the same state."""
    play = case.played(case.fast, 2)
    record = play.record([f"Player {seat}" for seat in range(case.seats)])
    require(Record.parse(str(record)) == record, "A record came back from its text changed.")
    require(Record.from_json(record.to_json()) == record, "A record came back from JSON changed.")
    require(replay(record).to_state() == play.to_state(), "A record did not replay to the same state.")


@check
def plays_stay_within_their_bounds(case: Case) -> None:
    """Points and decisions of a play are within those that META says."""
    play, (low, high) = case.played(case.fast, 2), case.fast.meta.points
    require(all(low <= points <= high for points in play.points), "Points at the end are beyond those in META.")
    require(len(play.actions) <= case.fast.meta.decisions, "A play took more decisions than META says.")


@check
def undo_keeps_its_discipline(case: Case) -> None:
    """Undo restores the last position exactly, and refuses across a reveal, a turn's end or a change of seat."""
    play, rng = case.start(case.fast, 5), Random(5)
    while not play.over:
        before, barrier = play.to_state(), (play.turn, play.turns, play.reveals)
        play.apply(rng.choice(play.legal_actions))
        if (play.turn, play.turns, play.reveals) == barrier:
            require(play.can_undo, f"Undo is refused after {len(play.actions)} actions, though nothing has come out.")
            play.undo()
            require(play.to_state() == before, "Undo did not restore the position.")
            play.apply(rng.choice(play.legal_actions))
        else:
            require(not play.can_undo, "can_undo allows what undo must refuse.")
            try:
                play.undo()
            except UndoRefused:
                continue
            raise Failure("Undo went across new information or another turn.")


@check
def counters_never_fall(case: Case) -> None:
    """`turns` and `reveals` only grow, and one of them does."""
    turns = reveals = 0
    for play in case.positions(case.fast, 6):
        require(play.turns >= turns and play.reveals >= reveals, "turns or reveals has fallen.")
        turns, reveals = play.turns, play.reveals
    require(turns or reveals, "Neither turns nor reveals was ever counted.")


@check
def nothing_new_without_a_reveal(case: Case) -> None:
    """An action that counts no reveal tells the mover nothing: it comes out the same in all that could be true.

    Otherwise a player could look, and take the action back.
    """
    for seed in range(2):
        play, rng = case.start(case.fast, seed), Random(seed)
        while not play.over:
            seat, barrier = play.turn, (play.turn, play.turns, play.reveals)
            others = [play.observe(seat).determinize(number) for number in range(3)]
            action = rng.choice(play.legal_actions)
            play.apply(action)
            if (play.turn, play.turns, play.reveals) == barrier:
                for other in others:
                    other.apply(action)
                    same = other.observe(seat).to_state() == play.observe(seat).to_state()
                    require(same, f"Action {len(play.actions)} told seat {seat} something new, but counts no reveal.")


@check
def illegal_actions_are_refused(case: Case) -> None:
    """An action that is not legal raises IllegalAction and changes nothing."""
    for play in case.positions(case.fast, every=4):
        before, legal = play.to_state(), set(play.legal_actions)
        foreign = next(action for action in range(case.fast.rules.ACTIONS + 1) if action not in legal)
        for action in (foreign, -1, case.fast.rules.ACTIONS, "x", None):
            try:
                play.apply(action)  # type: ignore[arg-type]
            except IllegalAction:
                require(play.to_state() == before, "A refused action has changed the state.")
                continue
            raise Failure(f"The illegal action {action!r} was accepted.")
