"""What a seat may know: nothing leaks, and guesses at the rest are honest."""

import json
from random import Random

import numpy as np

from ..core.contract import SPECTATOR
from ..engine import state_dtype
from ..play.play import Play
from .case import Case, Skipped, check, require
from .rules import without_luck

SAMPLES = 500  # redeals compared with as many true deals
SIGMAS = 6.0  # a difference beyond this is no chance, even among thousands of bytes

Fields = dict[str, np.ndarray]


@check
def every_field_has_its_readers(case: Case) -> None:
    """VISIBILITY says of each field of the state who may see it."""
    known = case.plain.observe.VISIBILITY
    require(set(known) <= {"nobody", "owner", "partly", "everybody"}, f"VISIBILITY has the keys {list(known)}.")
    said = [name for names in known.values() for name in names.split()]
    there = set(fields(state_dtype.blank(case.plain.rules.STATE)))
    require(len(set(said)) == len(said), f"VISIBILITY names a field twice: {sorted(said)}.")
    missing, foreign = sorted(there - set(said)), sorted(set(said) - there)
    require(not missing and not foreign, f"VISIBILITY lacks {missing}, and STATE has no {foreign}.")
    owned = known.get("owner", "").split()
    require(all(name.startswith("seat.") for name in owned), f"Only fields of a seat have an owner: {owned}.")


@check
def masks_keep_to_known(case: Case) -> None:
    """What nobody may see is blank in every view, what a seat owns in every other, and the rest is as it is."""
    known = {name: who for who, names in case.plain.observe.VISIBILITY.items() for name in names.split()}
    blanks: dict[str, bytes] = {}
    for seed in range(3):
        for play in case.positions(case.fast, seed, every=3):
            true = fields(play.array)
            for reader in case.readers():
                for name, seen in fields(play.observe(reader).array).items():
                    require_kept(name, known[name], reader, seen, true[name], blanks)


def require_kept(
    name: str, who: str, reader: int, seen: np.ndarray, true: np.ndarray, blanks: dict[str, bytes]
) -> None:
    """Compare a field of a view with the truth, or with what it was in every other view where it must be blank."""
    hidden = [seen]
    if who == "owner":
        hidden = [part for seat, part in enumerate(seen) if seat != reader]
        require(reader == SPECTATOR or (seen[reader] == true[reader]).all(), f"Seat {reader} cannot see its {name}.")
    if who in ("nobody", "owner"):
        for part in hidden:
            blank = blanks.setdefault(name, part.tobytes())
            require(part.tobytes() == blank, f"Reader {reader} sees {name}, which is not for everybody.")
    elif who == "everybody":
        require((seen == true).all(), f"Reader {reader} does not see {name} as it is.")


def fields(states: np.ndarray) -> Fields:
    """The fields of a state, those of the seats in play with `seat.` in front and an axis for the seat."""
    found: Fields = {}
    for name in states.dtype.names or ():
        field = states[name][0]
        if field.dtype.names:
            field = field[: states["seats"][0] or None]
            found |= {f"{name}.{part}": field[part] for part in field.dtype.names if not part.startswith("gap_")}
        elif not name.startswith("gap_"):
            found[name] = field
    return found


@check
def nothing_leaks(case: Case) -> None:
    """What a seat sees is the same in the true state and in any other it could be in.

    The states compared come from `redeal`, so this also says that a redeal is honest: its
    observer cannot tell it from the truth.
    """
    for play in case.positions(case.fast, every=3):
        for seat in case.readers():
            seen = play.observe(seat)
            for seed in range(3):
                other = seen.determinize(seed)
                require(
                    other.observe(seat).to_state() == seen.to_state(), f"Seat {seat} can tell a redeal from the truth."
                )
                if seat == play.turn:
                    require(
                        other.legal_actions == play.legal_actions == (seen.legal_actions or ()),
                        f"Legal actions of seat {seat} leak.",
                    )
                    spoken = [[p.action_to_string(action) for action in p.legal_actions[:9]] for p in (other, play)]
                    require(spoken[0] == spoken[1], f"The words for actions of seat {seat} leak.")


@check
def data_and_words_leak_nothing(case: Case) -> None:
    """What programs and language models read of an observation is the same in the true state and in a redealt one."""
    for play in case.positions(case.fast, 5, every=5):
        for seat in case.readers():
            seen = play.observe(seat)
            other = seen.determinize(1).observe(seat)
            require(json.dumps(seen.to_dict()) == json.dumps(other.to_dict()), f"Seat {seat} is given other data.")
            require(seen.describe() == other.describe(), f"Seat {seat} is given other words.")


@check
def the_rng_is_hidden(case: Case) -> None:
    """Nobody sees the random numbers to come, and a redeal has random numbers of its own."""
    play = case.start(case.fast, 9)
    for seat in case.readers():
        seen = play.observe(seat)
        require(not seen.array["rng"].any(), f"Seat {seat} sees the random numbers to come.")
        rng = {seen.determinize(seed).array["rng"].tobytes() for seed in range(5)}
        require(len(rng) == 5, "Redealt states share their random numbers.")


@check
def redeals_vary(case: Case) -> None:
    """Different random numbers give different guesses, as long as anything is hidden."""
    play = case.start(case.fast, 9)
    if play.game.meta.hides:
        for seat in case.readers():
            seen = play.observe(seat)
            guesses = {without_luck(seen.determinize(seed)) for seed in range(20)}
            require(len(guesses) > 1, f"All redeals for seat {seat} are the same.")


@check
def redeals_keep_the_laws(case: Case) -> None:
    """A redealt state breaks no law of conservation, and plays on to its end in the checked build.

    Where plays are long, only what a spectator would guess is played on.
    """
    broken = getattr(case.scenes, "broken", None)
    for play in case.positions(case.plain, 4, every=7):
        for seat in case.readers():
            other, rng = play.observe(seat).determinize(1), Random(1)
            fault = broken(other.state) if broken else ""
            require(not fault, f"A redeal for seat {seat}: {fault}")
            while not other.over and (case.pace == 1 or seat == SPECTATOR):
                other.apply(rng.choice(other.legal_actions))


@check
def redeals_are_fair(case: Case) -> None:
    """At the start of a play, redeals follow the distribution of true deals, byte by byte and in neighbours.

    Games whose guesses may leave out part of what the start tells say so in `observe.INEXACT_FIELDS`, the
    fields that are then not compared.
    """
    if case.fixed:
        raise Skipped("A fixed deal has no distribution.")
    for seat in case.readers():
        truths, guesses = [], []
        for seed in range(SAMPLES):
            play = case.start(case.fast, seed)
            truths.append(compared(play))
            guesses.append(compared(play.observe(seat).determinize(seed + 10**6)))
        for name, first, second in (
            ("bytes", np.array(truths), np.array(guesses)),
            ("neighbours", neighbours(np.array(truths)), neighbours(np.array(guesses))),
        ):
            off = differing(first, second)
            require(not len(off), f"Redeals for seat {seat} differ from true deals in {name} {off[:9].tolist()}.")


def compared(play: Play) -> np.ndarray:
    """The bytes of a state that a redeal must get right on average."""
    array = state_dtype.copied(play.array)
    array["rng"] = 0
    for name in getattr(play.game.observe, "INEXACT_FIELDS", ()):
        top, _, part = name.partition(".")
        if part:
            array[top][part] = 0
        else:
            array[top] = 0
    return array.view(np.uint8)


def neighbours(samples: np.ndarray) -> np.ndarray:
    """How each byte compares with the next one."""
    return np.sign(samples[:, 1:].astype(np.int16) - samples[:, :-1]).astype(np.uint8)


def differing(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The columns whose values are spread otherwise in the second sample than in the first.

    A two-sample chi-square test for each column, by the approximation of Wilson and Hilferty.
    """
    columns = np.flatnonzero((first != first[0]).any(axis=0) | (second != first[0]).any(axis=0))
    off = []
    for column in columns:
        values = np.unique(np.concatenate([first[:, column], second[:, column]]))
        one = (first[:, column, None] == values).sum(axis=0)
        two = (second[:, column, None] == values).sum(axis=0)
        common = one + two >= 10
        one, two = np.append(one[common], one[~common].sum()), np.append(two[common], two[~common].sum())
        there = one + two > 0
        statistic = ((one - two)[there] ** 2 / (one + two)[there]).sum()
        if beyond(statistic, int(there.sum()) - 1):
            off.append(column)
    return np.array(off)


def beyond(statistic: float, freedom: int) -> bool:
    """Is a chi-square value too large to be chance?"""
    if freedom == 0:
        return False
    middle = 1 - 2 / (9 * freedom)
    return bool(((statistic / freedom) ** (1 / 3) - middle) / np.sqrt(2 / (9 * freedom)) > SIGMAS)
