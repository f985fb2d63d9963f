"""Comparison of whole plays of Caylus with the implementation in `naive`."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.caylus import components as box
from almunia.games.caylus.rules import state as numbers
from almunia.games.caylus.rules.state import NONE, ActionKind, Phase
from almunia.games.caylus.tests import naive
from almunia.games.caylus.tests.starts import STARTS
from almunia.games.caylus.tests.watched import Watched

PLAIN = almunia.game("caylus", "plain")
FAST = almunia.game("caylus")
SPECIALS = [special.name.lower() for special in box.Special]
PLACES = [("road", space + 1) for space in range(box.ROAD)] + [(name,) for name in SPECIALS] + [("castle",)]
LINES = [line.name.lower() for line in box.Line]

# The oracle's words for the questions. The oracle sells a cube by one choice; the game has a trade and then a give.
WORDS = {
    Phase.PLACE: {"place"},
    Phase.GATE: {"gate"},
    Phase.GUILD: {"guild"},
    Phase.JOUST: {"joust"},
    Phase.INN: {"inn"},
    Phase.PROVOST: {"provost"},
    Phase.PRODUCE: {"produce"},
    Phase.BONUS: {"bonus"},
    Phase.TRADE: {"trade"},
    Phase.BUILD: {"build", "prestige"},
    Phase.CONVERT: {"lawyer"},
    Phase.GIVE: {"give", "free_cube", "trade"},
    Phase.TAKE: {"take"},
    Phase.BATCH: {"castle"},
    Phase.FAVOUR: {"line"},
    Phase.RESOURCE: {"column"},
    Phase.BUILDING: {"column"},
}
REFUSALS = {"place": "pass", "gate": "home", "inn": "home", "castle": "stop"}  # "decline" for other words
PHASES = ("income", "workers", "special", "provost", "road", "castle", "end")


# --- positions ---------------------------------------------------------------------------------------------


def somebody(seats):
    """Return the seats in a row of circles, without NONE."""
    return [seat for seat in seats if seat != NONE]


def ours(play):
    s = {name: play.array[name][0].tolist() for name in play.array.dtype.names if name != "seat"}
    seats = play.array["seat"][0][: play.seats]
    return {
        "turn": s["turns"] + 1,
        "phase": PHASES[s["stage"]],
        "turn order": s["order"][: play.seats],
        "bridge": somebody(s["passed"]),
        "bailiff and provost": (s["bailiff"], s["provost"]),
        "sections scored": s["section"],
        "tiles": [None if tile == numbers.EMPTY else box.TILE_IDS[tile] for tile in s["road"]],
        "owners": s["owner"],
        "workers": s["worker"],
        "residences to come": s["pending"],
        "special": s["special"],
        "stables": somebody(s["stables"]),
        "inn": s["inn"],
        "castle": somebody(s["castle"]),
        "money": seats["money"].tolist(),
        "cubes": seats["cubes"].tolist(),
        "points": seats["earned"].sum(axis=1).tolist(),
        "favours": seats["favour"].tolist(),
        "lines used": (seats["used"] > 0).tolist(),
        "houses": seats["houses"].T.tolist(),
    }


def theirs(oracle):
    plots = oracle.road.values()
    return {
        "turn": oracle.turn,
        "phase": oracle.phase,
        "turn order": oracle.turn_order,
        "bridge": oracle.bridge,
        "bailiff and provost": (oracle.bailiff, oracle.provost),
        "sections scored": sum(oracle.scored.values()),
        "tiles": [plot.building for plot in plots],
        "owners": [seat_or_none(plot.owner) for plot in plots],
        "workers": [seat_or_none(plot.worker) for plot in plots],
        "residences to come": [seat_or_none(plot.residence_for) for plot in plots],
        "special": [seat_or_none(oracle.special[name]) for name in SPECIALS[: numbers.SINGLES]],
        "stables": oracle.stables,
        "inn": [seat_or_none(oracle.inn_left), seat_or_none(oracle.inn_right)],
        "castle": oracle.castle,
        "money": oracle.money,
        "cubes": [[cubes[kind] for kind in box.CUBES] for cubes in oracle.cubes],
        "points": oracle.points,
        "favours": [[favours[line] for line in LINES] for favours in oracle.favours],
        "lines used": [[line in used for line in LINES] for used in oracle.lines_used],
        "houses": [oracle.houses[section] for section in box.SECTION_IDS],
    }


def seat_or_none(seat):
    return NONE if seat is None else seat


# --- choices -----------------------------------------------------------------------------------------------


def column_of(line, fits):
    """Return the column of a line whose effect satisfies `fits`."""
    return next(row["column"] for row in naive.BOX["favours"][line] if fits(row["effect"]))


def in_their_words(action, oracle):  # noqa: C901 - a case for each kind of action
    """Return an action as the oracle's choices: one choice, or for a favour the column and its use."""
    word, kind = oracle.question()[0], ActionKind(numbers.KIND_OF_CODE[action])
    arg = action - int(numbers.KIND_OFFSETS[kind])
    match kind:
        case ActionKind.PLACE:
            return ((word, *PLACES[arg]),)
        case ActionKind.PASS:
            return ((REFUSALS.get(word, "decline"),),)
        case ActionKind.MOVE:
            return (("provost", arg - box.STEPS),)
        case ActionKind.JOUST:
            return (("joust",),)
        case ActionKind.STAY:
            return (("keep",),)
        case ActionKind.TAKE:
            return taking(box.CUBES[arg], word, oracle)
        case ActionKind.GIVE:
            return (("sell" if word == "trade" else word, box.CUBES[arg]),)
        case ActionKind.TRADE:
            return trading(arg, word, oracle)
        case ActionKind.BUILD:
            tile = box.TILE_IDS[box.FIRST_BUILT + arg]
            sort = naive.BUILDING[tile]["class"]
            choice = ("prestige" if sort == "prestige" else "build", tile)
            return by_favour(word, "buildings", choice, lambda effect: effect.get("builds") == sort)
        case ActionKind.CONVERT:
            choice = ("lawyer", arg + 1)
            return by_favour(word, "buildings", choice, lambda effect: effect["kind"] == "convert")
        case ActionKind.BATCH:
            return (("batch", tuple(box.CUBES[kind] for kind in box.PAIRS[arg])),)
        case ActionKind.FAVOUR:
            return (("line", LINES[arg]),)


def by_favour(word, line, choice, fits):
    """Return the oracle's choices for an action: the favour's column if the oracle asks for one, then `choice`."""
    return (("column", column_of(line, fits)), choice) if word == "column" else (choice,)


def taking(cube, word, oracle):
    if word == "produce":
        return (next(choice for choice in oracle.choices() if cube in dict(choice[1])),)
    if word == "bonus":
        return (("bonus", cube),)
    return by_favour(word, "resources", ("take", cube), lambda effect: {cube: 1} in effect["options"])


def trading(option, word, oracle):
    if word == "column":
        return (("column", column_of("resources", lambda effect: effect["kind"] == "trade")),)
    return (("sell",),) if any(choice[0] == "sell" for choice in oracle.choices()) else (("trade", option),)


def offered(oracle, phase):
    """Return the oracle's legal choices, each with the choices that carry it out. Forced choices are left out."""
    ways, sales = {}, [choice for choice in oracle.choices() if choice[0] == "sell"]
    for choice in oracle.choices():
        if choice[0] == "column":
            follow = after_column(oracle, choice[1], "resources" if phase == Phase.RESOURCE else "buildings")
            for then in follow:
                ways[choice, then] = (choice, then) if len(follow) > 1 else (choice,)
            if not follow:
                ways[(choice,)] = (choice,)
        elif sales and phase == Phase.TRADE:
            ways[(choice[:1],)] = (choice,) if len(sales) == 1 or choice not in sales else ()
        elif choice in sales or phase != Phase.GIVE or not sales:
            ways[(choice,)] = (choice,)
    return ways


def after_column(oracle, column, line):
    """Return the oracle's choices after this column, or an empty list for the exchange."""
    effect = next(row["effect"] for row in naive.BOX["favours"][line] if row["column"] == column)
    seat = oracle.question()[1]
    match effect["kind"]:
        case "gain":
            return [("take", kind) for option in effect["options"] for kind in option]
        case "convert":
            return [("lawyer", space) for space in oracle.convertible(seat, effect["deniers"])]
        case "build" if effect["builds"] == "prestige":
            return [("prestige", name) for name in oracle.prestige_buildable(seat)]
        case "build":
            return [("build", name) for name in oracle.buildable(seat, effect["builds"], effect["discount"])]
    return []


def choose(oracle, choices):
    """Make several choices in order. A prestige building goes to the first site [D14]."""
    for choice in choices:
        oracle.choose(choice)
    while oracle.question() and oracle.question()[0] == "site":
        oracle.choose(oracle.choices()[0])


# --- whole plays -------------------------------------------------------------------------------------------

KEEN = {ActionKind.BUILD, ActionKind.CONVERT, ActionKind.BATCH, ActionKind.JOUST, ActionKind.TRADE, ActionKind.STAY}


def at_random(play, rng):
    return rng.choice(play.legal_actions)


def keenly(play, rng):
    legal = play.legal_actions
    rare = [action for action in legal if is_rare(play, action)]
    keen = [action for action in legal if numbers.KIND_OF_CODE[action] in KEEN]
    busy = [action for action in legal if numbers.KIND_OF_CODE[action] != ActionKind.PASS]
    for actions, chance in ((rare, 0.7), (keen, 0.8), (busy, 0.9)):
        if actions and rng.random() < chance:
            return rng.choice(actions)
    return rng.choice(legal)


def is_rare(play, action):
    """Return whether an action makes a building or residence under conditions that random plays seldom meet."""
    kind, arg = numbers.KIND_OF_CODE[action], action - int(numbers.KIND_OFFSETS[numbers.KIND_OF_CODE[action]])
    if kind == ActionKind.CONVERT:
        return play.phase == Phase.BUILDING or play.state.worker[arg] != NONE
    return kind == ActionKind.BUILD and (play.phase == Phase.BUILDING or box.FAVOURS[box.FIRST_BUILT + arg] > 0)


def slowly(play, rng):
    """Return the first move of the provost, or a random action that is no batch."""
    legal = play.legal_actions
    if play.phase in (Phase.PROVOST, Phase.GUILD):
        return legal[0]
    return rng.choice([action for action in legal if numbers.KIND_OF_CODE[action] != ActionKind.BATCH])


TASTES = {"random": at_random, "keen": keenly, "slow": slowly}


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(0, 2**40),
    st.sampled_from(list(TASTES)),
    st.sampled_from(list(STARTS)),
    st.sampled_from(["no", "yes"]),
    st.sampled_from(["table", "table", "points"]),
)
def test_plays_agree_step_by_step(seats, seed, taste, start, jeweller, favours):
    compare_play(seats, seed, taste, start, FAST, jeweller=jeweller, favours=favours)


def test_the_compared_plays_reach_every_event():
    seen = Counter()
    for seats, seed, taste, start, jeweller, favours in SHOWING_ALL:
        seen += compare_play(seats, seed, taste, start, PLAIN, jeweller=jeweller, favours=favours)
    assert set(seen) >= EVENTS


SHOWING_ALL = (  # seats, seeds, tastes, starts and options
    (2, 2, "random", "usual", "no", "table"),
    (2, 3, "keen", "usual", "yes", "table"),
    (2, 7, "keen", "filled", "no", "table"),
    (2, 13, "random", "at work", "yes", "table"),
    (3, 0, "random", "at work", "no", "table"),
    (3, 3, "slow", "usual", "yes", "table"),
    (3, 4, "keen", "rich", "yes", "table"),
    (3, 5, "random", "at work", "yes", "table"),
    (3, 12, "random", "at work", "no", "table"),
    (3, 12, "random", "filled", "no", "table"),
    (4, 2, "random", "late", "no", "table"),
    (4, 2, "keen", "grown", "no", "table"),
    (4, 5, "random", "at work", "yes", "points"),
    (4, 8, "random", "at work", "no", "table"),
    (4, 10, "random", "at work", "no", "table"),
    (5, 10, "random", "late", "no", "table"),
    (5, 13, "random", "crowded", "yes", "table"),
)
EVENTS = {kind.name for kind in ActionKind} | {"asked " + phase.name for phase in WORDS}
EVENTS |= {tile for tile, effect in zip(box.TILE_IDS, box.EFFECT, strict=True) if effect != box.Effect.IDLE}
EVENTS |= {f"{line} {column}" for line in LINES for column in range(1, box.COLUMNS + 1)}
EVENTS |= {f"RESOURCE {way}" for way in (1, 2, 3, 4, 5, "decline")}
EVENTS |= {f"BUILDING {way}" for way in (2, 3, 4, 5, "decline")}
EVENTS |= {"a forced pass", "a forced pass, the first", "no worker left", "no money left", "a guest"}
EVENTS |= {f"gate to {place}" for place in ("castle", "neutral", "fixed", "own", "foreign", "stables", "inn")}
EVENTS |= {f"gate to {place}" for place in ("trading_post", "merchants_guild", "joust_field")}
EVENTS |= {f"stables {workers}" for workers in range(box.CIRCLES + 1)} | {"a new turn order"}
EVENTS |= {"inn, a swap", "inn, the same twice", "turn 18", "a shared win"}
EVENTS |= {f"gold given as {word}" for word in ("give", "free_cube", "trade")} | {"gold in a batch", "a full road"}
EVENTS |= {f"{sort} tile becomes a residence" for sort in ("neutral", "wood", "stone")}
EVENTS |= {f"a residence in {stage}" for stage in ("special", "road", "castle", "end")}
EVENTS |= {f"a delayed residence {where} the provost" for where in ("up to", "beyond")}
EVENTS |= {"at work before it changes", "changed by its own worker", "a tile still to go back"}
EVENTS |= {f"a residence to come is no {use}" for use in ("target", "site")}
EVENTS |= {"nobody gave a batch", "a tie in the castle", "the castle is full", *(f"overflow {n}" for n in range(3))}
EVENTS |= {"2 lost in castle", *(f"{points} lost in end" for points in (2, 3, 4)), "not below nought"}
EVENTS |= {f"scored at once: {sections}" for sections in range(4)}
EVENTS |= {f"a favour in {stage}" for stage in ("special", "road", "castle", "end")}
EVENTS |= {"a favour by a favour", "a favour is lost", "a favour of 3 points", "a marker stays"}


def compare_play(seats, seed, taste="random", start="usual", game=PLAIN, **options):
    """Compare a play with the oracle, and return its events with their numbers."""
    play, rng = game.new(seats, seed, **options), Random(seed)
    seen = Counter()
    neutral = [box.TILE_IDS[tile] for tile in play.array["road"][0][: box.NEUTRAL]]
    order = play.array["order"][0][:seats].tolist()
    given = options.get("jeweller") == "yes", options.get("favours") == "points"
    oracle = Watched(seen, seats, neutral, order, *given)
    assert ours(play) == theirs(oracle)
    STARTS[start](play, oracle, rng)
    while not play.over:
        ways = compare_question(play, oracle)
        action = TASTES[taste](play, rng)
        seen.update(told(play, action, oracle))
        choose(oracle, ways[in_their_words(action, oracle)])
        play.apply(action)
        seen["actions"] += 1
    assert ours(play) == theirs(oracle)
    assert oracle.over
    assert play.score_table()[:, 0].tolist() == oracle.points
    assert list(play.outcome.winners) == oracle.winners
    seen["winners"] += len(oracle.winners)
    seen["plays"] += 1
    return seen


def compare_question(play, oracle):
    """Compare the question and its legal answers, and return the oracle's choices for each answer."""
    phase, s = Phase(play.phase), play.state
    if s.give_any + s.give_common == 0:  # while cubes are owed, the oracle lags behind: it acts when they are given
        assert ours(play) == theirs(oracle)
    check_pieces(oracle)
    word, seat = oracle.question()
    assert seat == play.turn
    assert word in WORDS[phase]
    ways = offered(oracle, phase)
    legal = [in_their_words(action, oracle) for action in play.legal_actions]
    assert set(legal) == set(ways)
    assert len(legal) == len(set(legal)) > 1
    return ways


def check_pieces(oracle):
    standing = [*(plot.worker for plot in oracle.road.values()), *oracle.special.values(), *oracle.stables]
    away = Counter([*standing, *oracle.castle, oracle.inn_left, oracle.inn_right])
    assert all(oracle.home[seat] + away[seat] == box.WORKERS for seat in range(oracle.seats))
    laid = Counter(plot.building for plot in oracle.road.values())
    assert all(laid[name] + left == naive.BUILDING[name]["count"] for name, left in oracle.supply.items())


def told(play, action, oracle):
    """Yield the names of an action's events, as in EVENTS."""
    s, phase, kind = play.state, Phase(play.phase), ActionKind(numbers.KIND_OF_CODE[action])
    arg, me = action - int(numbers.KIND_OFFSETS[kind]), s.seat[play.turn]
    yield from ("asked " + phase.name, kind.name)
    if kind == ActionKind.FAVOUR:
        stays = me.favour[arg] == box.OPEN[s.section]
        yield f"{LINES[arg]} {me.favour[arg] + (not stays)}"
        yield from ["a marker stays"] * bool(stays)
    if phase in (Phase.RESOURCE, Phase.BUILDING):
        choice = in_their_words(action, oracle)[0]
        yield f"{phase.name} {choice[-1]}"
    if kind == ActionKind.GIVE and arg == box.Cube.GOLD:
        yield "gold given as " + oracle.question()[0]
    if phase == Phase.BUILDING and kind == ActionKind.BUILD and box.FAVOURS[box.FIRST_BUILT + arg]:
        yield "a favour by a favour"
