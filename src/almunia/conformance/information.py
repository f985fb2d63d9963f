"""Checks of hidden information: nothing leaks, and determinizations are fair."""

import json
from random import Random
from typing import Any

import numpy as np

from ..core.contract import SPECTATOR
from ..engine import state_dtype
from ..play.play import Play
from .case import Case, Skipped, check, require
from .rules import state_without_rng

SAMPLES = 500  # determinizations, compared with the same number of true deals
MAX_SIGMAS = 6.0  # maximum of a random difference, even among thousands of bytes

Fields = dict[str, np.ndarray]


@check
def every_field_has_its_readers(case: Case) -> None:
    """Require that VISIBILITY contains each field of the state exactly once."""
    known = case.plain.observe.VISIBILITY
    require(set(known) <= {"nobody", "owner", "partly", "everybody"}, f"VISIBILITY has the keys {list(known)}.")
    listed = [name for names in known.values() for name in names.split()]
    existing = set(fields(state_dtype.zeros(case.plain.rules.STATE)))
    require(len(set(listed)) == len(listed), f"VISIBILITY names a field twice: {sorted(listed)}.")
    missing, foreign = sorted(existing - set(listed)), sorted(set(listed) - existing)
    require(not missing and not foreign, f"VISIBILITY lacks {missing}, and STATE has no {foreign}.")
    owned = known.get("owner", "").split()
    require(all(name.startswith("seat.") for name in owned), f"Only fields of a seat have an owner: {owned}.")


@check
def masks_match_visibility(case: Case) -> None:
    """Require that observations show public fields unchanged, and hidden fields blank to all except their owner.

    Fields that are partly visible are not checked.
    """
    readers = {name: group for group, names in case.plain.observe.VISIBILITY.items() for name in names.split()}
    blanks: dict[tuple[str, int], bytes] = {}  # by field and seat
    for seed in range(3):
        for play in case.positions(case.compiled, seed, every=3):
            true = fields(play.array)
            for observer in case.observers():
                for name, seen in fields(play.observe(observer).array).items():
                    require_masked(name, readers[name], observer, seen, true[name], blanks)


def require_masked(
    name: str, group: str, observer: int, seen: np.ndarray, true: np.ndarray, blanks: dict[tuple[str, int], bytes]
) -> None:
    """Require that a visible field of an observation is true, and that a hidden field is always the same."""
    if group == "everybody":
        require((seen == true).all(), f"Observer {observer} does not see the true {name}.")
    hidden: dict[str, Any] = {"owner": seen, "nobody": [seen]}
    for seat, part in enumerate(hidden.get(group, ())):
        if group == "owner" and seat == observer:
            require((part == true[seat]).all(), f"Seat {observer} cannot see its {name}.")
        else:
            blank = blanks.setdefault((name, seat), part.tobytes())
            require(part.tobytes() == blank, f"Observer {observer} sees {name}, which is hidden.")


def fields(states: np.ndarray) -> Fields:
    """Return the fields of a state by name, without gaps. Fields of records have a prefix, such as `seat.`."""
    result: Fields = {}
    for name in states.dtype.names or ():
        field = states[name][0]
        if field.dtype.names:
            result |= {f"{name}.{part}": field[part] for part in field.dtype.names if not part.startswith("gap_")}
        elif not name.startswith("gap_"):
            result[name] = field
    return result


@check
def nothing_leaks(case: Case) -> None:
    """Require that an observation is the same in the true state and in determinizations.

    Require also that the seat to move has the same legal actions in these states, with the same words.
    """
    for play, seen in case.observations(case.compiled, 1, every=3):
        seat = seen.seat
        for other in map(seen.determinize, range(3)):
            same = other.observe(seat).to_state() == seen.to_state()
            require(same, f"Seat {seat} can tell a determinization from the truth.")
            if seat == play.turn:
                same = other.legal_actions == play.legal_actions == seen.legal_actions
                require(same, f"Legal actions of seat {seat} leak.")
                words = [[p.action_to_string(action) for action in p.legal_actions[:9]] for p in (other, play)]
                require(words[0] == words[1], f"The words for actions of seat {seat} leak.")


@check
def data_and_words_leak_nothing(case: Case) -> None:
    """Require that an observation as data and as text is the same in a determinization."""
    for _, seen in case.observations(case.compiled, 5, every=5):
        other = seen.determinize(1).observe(seen.seat)
        require(json.dumps(seen.to_dict()) == json.dumps(other.to_dict()), f"The data for seat {seen.seat} leak.")
        require(seen.describe() == other.describe(), f"The text for seat {seen.seat} leaks.")


@check
def the_rng_is_hidden(case: Case) -> None:
    """Require that no observation has the random state, and that determinizations have different random states."""
    play = case.start(case.compiled, 9)
    for seat in case.observers():
        seen = play.observe(seat)
        require(not seen.array["rng"].any(), f"Seat {seat} sees future random numbers.")
        rng = {seen.determinize(seed).array["rng"].tobytes() for seed in range(5)}
        require(len(rng) == 5, "Determinizations share their random numbers.")


@check
def determinizations_vary(case: Case) -> None:
    """Require that not all determinizations of a start are the same, if the game has hidden information."""
    play = case.start(case.compiled, 9)
    if play.game.meta.has_hidden_information:
        for seat in case.observers():
            seen = play.observe(seat)
            states = {state_without_rng(seen.determinize(seed)) for seed in range(20)}
            require(len(states) > 1, f"All determinizations for seat {seat} are the same.")


@check
def determinizations_keep_the_laws(case: Case) -> None:
    """Require that the invariants hold in determinizations, which can be played to the end in the plain build.

    In long plays only determinizations for a spectator are played to the end.
    """
    broken = getattr(case.scenario_words, "broken", None)
    for _, seen in case.observations(case.plain, 4, every=7):
        other, rng = seen.determinize(1), Random(1)
        fault = broken(other.state) if broken else ""
        require(not fault, f"A determinization for seat {seen.seat}: {fault}")
        while not other.over and (case.stride == 1 or seen.seat == SPECTATOR):
            other.apply(rng.choice(other.legal_actions))


@check
def determinizations_are_fair(case: Case) -> None:
    """Require that determinizations at the start follow the distribution of true deals.

    The check compares bytes, and the order of neighbouring bytes.

    Fields in `observe.INEXACT_FIELDS` are not compared: determinizations may ignore some information about them.
    """
    if case.has_fixed_deal:
        raise Skipped("A fixed deal has no distribution.")
    for seat in case.observers():
        true, determinized = [], []
        for seed in range(SAMPLES):
            play = case.start(case.compiled, seed)
            true.append(compared_bytes(play))
            determinized.append(compared_bytes(play.observe(seat).determinize(seed + 10**6)))
        for name, first, second in (
            ("bytes", np.array(true), np.array(determinized)),
            ("neighbours", compare_neighbours(np.array(true)), compare_neighbours(np.array(determinized))),
        ):
            columns = differing_columns(first, second)
            require(
                not len(columns),
                f"Determinizations for seat {seat} differ from true deals in {name} {columns[:9].tolist()}.",
            )


def compared_bytes(play: Play) -> np.ndarray:
    """Return the bytes of a state to compare, with the random state and inexact fields set to 0."""
    array = state_dtype.copy_states(play.array)
    array["rng"] = 0
    for name in play.game.observe.INEXACT_FIELDS:
        top, _, part = name.partition(".")
        if part:
            array[top][part] = 0
        else:
            array[top] = 0
    return array.view(np.uint8)


def compare_neighbours(samples: np.ndarray) -> np.ndarray:
    """Return the signs of the differences between neighbouring bytes, (samples, bytes - 1)."""
    return np.sign(samples[:, 1:].astype(np.int16) - samples[:, :-1]).astype(np.uint8)


def differing_columns(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the indexes of columns with different distributions in two samples, (samples, columns) each.

    The test is a two-sample chi-square test for each column, with the approximation of Wilson and Hilferty.
    """
    columns = np.flatnonzero((first != first[0]).any(axis=0) | (second != first[0]).any(axis=0))
    differing = []
    for column in columns:
        values = np.unique(np.concatenate([first[:, column], second[:, column]]))
        one = (first[:, column, None] == values).sum(axis=0)
        two = (second[:, column, None] == values).sum(axis=0)
        common = one + two >= 10
        one, two = np.append(one[common], one[~common].sum()), np.append(two[common], two[~common].sum())
        used = one + two > 0
        statistic = ((one - two)[used] ** 2 / (one + two)[used]).sum()
        if is_significant(statistic, int(used.sum()) - 1):
            differing.append(column)
    return np.array(differing)


def is_significant(statistic: float, freedom: int) -> bool:
    """Return whether a chi-square value is too large to be random, for these degrees of freedom."""
    if freedom == 0:
        return False
    middle = 1 - 2 / (9 * freedom)
    return bool(((statistic / freedom) ** (1 / 3) - middle) / np.sqrt(2 / (9 * freedom)) > MAX_SIGMAS)
