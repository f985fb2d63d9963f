"""Each conformance check finds a fault that the test builds into a game."""

import sys
from dataclasses import replace
from inspect import signature
from types import ModuleType

import pytest

from almunia.arena.simulate import prepare, simulate
from almunia.arena.trace_writer import trace
from almunia.conformance import CHECKS, Case, CheckResult, Failure, information, run_check, scoring, tensors
from almunia.conformance.metadata import RESERVED_NAMES
from almunia.core.optional import Column, Scoring
from almunia.engine.state_dtype import HEADER, i1, record_dtype
from almunia.errors import AlmuniaError
from almunia.games.alpujarras import observe as alpujarras
from almunia.games.orchard import bots, observe, rules, text, view
from almunia.games.orchard.view import hand, orchard, pictures
from almunia.games.oregon import observe as oregon, rules as oregon_rules, text as oregon_text
from almunia.library import Game

MODULES = alpujarras, bots, hand, observe, orchard, oregon, oregon_rules, oregon_text, pictures, rules, text, view
# Each fault is the text of a function that takes the place of the module's own, which it knows as RIGHT.
FAULTS = {
    "sees all": (observe, "def mask(s, seat):\n    pass"),
    "sees choices": (
        observe,
        (
            "def mask(s, seat):\n    kept = [int(s.seat[p].choice) for p in range(s.seats)]\n    RIGHT(s, seat)\n"
            "    for p in range(s.seats):\n        s.seat[p].choice = kept[p]"
        ),
    ),
    "shows the top card in a record that is no seat's": (
        alpujarras,
        "def mask(s, seat):\n    top = s.deck[s.left - 1]\n    RIGHT(s, seat)\n    s.owed[2].todo = top",
    ),
    "shows the next card in a seat that is not taken": (
        observe,
        "def mask(s, seat):\n    card = s.deck[min(s.drawn, 17)]\n    RIGHT(s, seat)\n    s.seat[5].choice = card",
    ),
    "never varies": (
        observe,
        (
            "def determinize(s, seat, rng, out):\n    randbelow(rng, 2)\n"
            "    for i in range(4):\n        s.rng[i] = i + 1\n"
            "    fill_up(s, s.drawn, s.rng)\n    reseed_rng(s.rng, rng)\n    for i in range(s.drawn, 17):\n"
            "        for j in range(i + 1, 18):\n            if s.deck[j] < s.deck[i]:\n"
            "                s.deck[i], s.deck[j] = s.deck[j], s.deck[i]"
        ),
    ),
    "one card everywhere": (
        observe,
        (
            "def determinize(s, seat, rng, out):\n    RIGHT(s, seat, rng, out)\n    card = s.deck[s.drawn]\n"
            "    for i in range(s.drawn, 18):\n        s.deck[i] = card"
        ),
    ),
    "out of order": (rules, "def legal_place(s, out):\n    out[0], out[1] = 9, 8\n    return 2"),
    "writes while listing": (
        rules,
        "def legal_place(s, out):\n    s.seat[s.turn].stuck = 1 - s.seat[s.turn].stuck\n    return RIGHT(s, out)",
    ),
    "forgets a reveal": (rules, "def draw(s):\n    before = s.reveals\n    RIGHT(s)\n    s.reveals = before"),
    "loses a die": (
        rules,
        "def spoil(me, fruit, row, column):\n    RIGHT(me, fruit, row, column)\n    me.rotten += 1",
    ),
    "hopes": (
        bots,
        "def gain(number, turned, under, stock, ladder):\n    return RIGHT(number, turned, under, stock, ladder) + 1",
    ),
    "meddles": (bots, "def evaluate(s, table, out):\n    RIGHT(s, table, out)\n    s.drawn += 1"),
    "names slots": (rules, "def action_key(s, action):\n    return action"),
    "forgets the question": (
        oregon,
        (
            "def tensor(s, seat, out):\n    RIGHT(s, seat, out)\n"
            "    for i in range(len(out.chosen)):\n        out.chosen[i] = 0\n"
            "    for i in range(len(out.question)):\n        out.question[i] = 0"
        ),
    ),
    "forgets the card chosen": (
        oregon,
        (
            "def tensor(s, seat, out):\n    RIGHT(s, seat, out)\n"
            "    for i in range(len(out.chosen)):\n        out.chosen[i] = 0"
        ),
    ),
    "writes bare counts": (observe, "def tensor(s, seat, out):\n    RIGHT(s, seat, out)\n    out.supply[0] = 101"),
    "scales too little": (
        observe,
        (
            "def tensor(s, seat, out):\n    RIGHT(s, seat, out)\n"
            "    for i in range(len(out.unseen)):\n        out.unseen[i] *= 2"
        ),
    ),
    "lets one seat never start": (
        oregon_rules,
        "def setup(s, seats, seed):\n    RIGHT(s, seats, seed)\n    s.first = s.turn = s.turn % (seats - 1)",
    ),
    "mumbles": (text, "def action_to_string(s, action):\n    return 'place a card'"),
    "says it in one string": (text, "def effect_text(s, action):\n    return 'two trees match: +4'"),
    "writes while it speaks": (
        text,
        "def button_label(s, action):\n    s.drawn += 1\n    s.drawn -= 1\n    return RIGHT(s, action)",
    ),
    "offers it in one string": (text, "def button_label(s, action):\n    return 'Card 14'"),
    "proposes what cannot be done": (
        oregon_text,
        "def suggestions(s):\n    return [one._replace(actions=(*one.actions, 0)) for one in RIGHT(s)]",
    ),
    "thinks that hands are open": (oregon, "def legal_is_public(s):\n    return True"),
    "cites what is not there": (
        oregon_text,
        (
            "def explain_illegal(s, place, chosen):\n    found = RIGHT(s, place, chosen)\n"
            "    return found and found._replace(rule='99.9')"
        ),
    ),
    "asks by a rule that is not there": (oregon_text, "def rule_of_question(s):\n    return '99.9'"),
    "draws by a function that is made each time": (
        pictures,
        (
            "def panels(s, seat):\n    board, *others = RIGHT(s, seat)\n"
            "    return [Panel('orchard', 'Mine', lambda *key: orchard(*key), board.key, board.role), *others]"
        ),
    ),
    "has a part of the state in a key": (
        hand,
        "def held_by(s, seat):\n    return (*RIGHT(s, seat), s.seat[seat])",
    ),
    "keeps pieces for too small a key": (
        orchard,
        (
            "def pieces_of(s, me):\n    if not hasattr(RIGHT, 'wrong'):\n"
            "        RIGHT.wrong = memoize(lambda s, me: me.laid)(RIGHT)\n    return RIGHT.wrong(s, me)"
        ),
    ),
    "keeps a frame for too small a key": (
        orchard,
        (
            "def framed(trees):\n    if not hasattr(RIGHT, 'wrong'):\n"
            "        RIGHT.wrong = memoize(lambda trees: trees[0])(RIGHT)\n    return RIGHT.wrong(trees)"
        ),
    ),
    "offers what is not drawn": (
        pictures,
        (
            "def choices(s, seat, legal):\n"
            "    return [*RIGHT(s, seat, legal), Overlay('hand', 'nowhere', data={'part': 'card'})]"
        ),
    ),
    "offers it in no panel": (
        pictures,
        "def choices(s, seat, legal):\n    return [*RIGHT(s, seat, legal), Overlay('market', 'hand-1')]",
    ),
}

FOUND = {
    ("sees all", 1): {"the_rng_is_hidden", "nothing_leaks", "masks_match_visibility"},
    ("sees choices", 2): {"masks_match_visibility"},
    ("shows the top card in a record that is no seat's", 2): {"masks_match_visibility"},
    ("shows the next card in a seat that is not taken", 2): {"masks_match_visibility"},
    ("never varies", 1): {"determinizations_vary", "determinizations_are_fair"},
    ("one card everywhere", 1): {"determinizations_keep_the_laws", "determinizations_are_fair"},
    ("out of order", 1): {"legal_actions_ascend"},
    ("writes while listing", 1): {"queries_are_pure"},
    ("forgets a reveal", 1): {"hidden_info_counts_as_reveal"},
    ("loses a die", 1): {"conservation_laws_hold"},
    ("hopes", 1): {"action_values_match_evaluation"},
    ("meddles", 1): {"evaluations_agree"},
    ("names slots", 2): {"action_keys_are_consistent"},
    ("forgets the question", 2): {"tensors_determine_the_question", "tensors_have_their_parts"},
    ("forgets the card chosen", 2): {"tensors_determine_the_question", "tensors_have_their_parts"},
    ("writes bare counts", 2): {"tensors_have_their_parts"},
    ("scales too little", 2): {"tensors_have_their_parts"},
    ("lets one seat never start", 3): {"every_seat_can_start"},
    ("mumbles", 1): {"words_name_actions"},
    ("says it in one string", 1): {"text_can_be_read"},
    ("writes while it speaks", 1): {"words_and_pictures_write_nothing"},
    ("offers it in one string", 1): {"text_can_be_read"},
    ("proposes what cannot be done", 2): {"suggestions_are_legal"},
    ("thinks that hands are open", 2): {"public_questions_are_public"},
    ("cites what is not there", 2): {"explanations_are_valid"},
    ("asks by a rule that is not there", 2): {"citations_lead_to_the_rules"},
    ("draws by a function that is made each time", 2): {"pictures_depend_on_nothing_but_keys"},
    ("has a part of the state in a key", 2): {"equal_keys_give_equal_pictures"},
    ("keeps pieces for too small a key", 2): {"pictures_depend_on_nothing_but_keys"},
    ("keeps a frame for too small a key", 2): {"pictures_depend_on_nothing_but_keys"},
    ("offers what is not drawn", 2): {"pictures_offer_legal_actions"},
    ("offers it in no panel", 2): {"pictures_offer_legal_actions"},
}


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch):
    """Reduce the number of samples, since these faults are obvious."""
    monkeypatch.setattr(information, "SAMPLES", 60)
    monkeypatch.setattr(tensors, "BOTS", ("",))
    monkeypatch.setattr(tensors, "POSITIONS", 30)
    monkeypatch.setattr(tensors, "SIBLINGS", 5)


def name_of(module: ModuleType) -> str:
    """Return the name of the game to which a module belongs."""
    return module.__name__.split(".")[2]


def built_in(monkeypatch: pytest.MonkeyPatch, module: ModuleType, source: str, seats: int) -> Case:
    """Build a fault into a game, and return a case of the game in the plain build."""
    name = source.split("(", maxsplit=1)[0].removeprefix("def ")
    right = getattr(module, name)
    monkeypatch.setattr(module, "RIGHT", right, raising=False)
    space = {"__name__": module.__name__}  # its twin gets the names of the whole module
    exec(compile(source, "a fault", "exec"), space)  # noqa: S102 - the texts above
    for other in MODULES:
        if getattr(other, name, None) is right:
            monkeypatch.setattr(other, name, space[name])
    return plain_case(name_of(module), seats)


def plain_case(name: str, seats: int) -> Case:
    """Return a case that uses the plain build in place of the compiled build."""
    case = Case(name, seats)
    case.__dict__["plain"] = case.__dict__["compiled"] = Game(name, "plain")
    return case


@pytest.mark.parametrize(("fault", "seats"), FOUND, ids=str)
def test_a_fault_is_found(monkeypatch, fault, seats):
    case = built_in(monkeypatch, *FAULTS[fault], seats)
    for title in FOUND[fault, seats]:
        assert run_check(CHECKS[title], case).failed, f"{title} did not notice that the game {fault}."


@pytest.mark.parametrize(
    ("points", "notes", "targets", "fault"),
    [((1, 0), (), (), "adds up"), ((0, 0), ("none",), (), "notes"), ((0, 0), (), ("nowhere",), "picture")],
)
def test_a_scoring_that_is_wrong_is_found(points, notes, targets, fault):
    seen = Game("oregon", "plain").new(2, 1).observe(0)
    with pytest.raises(Failure, match=fault):
        scoring.check_scoring(Scoring("Scoring", "1.1", (Column("All", points, notes, targets),)), seen, seen)


def test_names_of_parts_are_in_lower_case(monkeypatch):
    case = plain_case("orchard", 1)
    first, *others = case.plain.view.PARTS
    monkeypatch.setattr(case.plain.view, "PARTS", (replace(first, name="the card"), *others))
    assert "not in lower case" in run_check(CHECKS["words_name_actions"], case).message


@pytest.mark.parametrize(
    ("bounds", "fault"),
    [({"points": (0, 5)}, "Points at the end"), ({"decisions": 5}, "not over after the 5 decisions")],
)
def test_bounds_that_a_play_leaves_are_found(monkeypatch, bounds, fault):
    check, case = CHECKS["plays_stay_within_their_bounds"], plain_case("orchard", 2)
    assert run_check(check, case) == CheckResult()
    monkeypatch.setattr(case.compiled, "meta", replace(case.compiled.meta, **bounds))
    assert fault in run_check(check, case).message


def test_a_constant_that_is_not_the_first_code_of_its_kind_is_found(monkeypatch):
    check, case = CHECKS["codes_are_laid_out_by_name"], plain_case("oregon", 2)
    assert run_check(check, case) == CheckResult()
    phases = sys.modules[oregon_rules.apply.__module__]
    monkeypatch.setattr(phases, "SWAP", phases.DRAW)
    assert "has SWAP = " in run_check(check, case).message


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("turn", "has no field of its own"),
        ("seats", "has no field of its own"),
        ("colour", "has no field of its own"),
        ("penalty", "cannot be called 'penalty'"),
        ("deal", ""),
    ],
)
def test_the_name_of_an_option_that_is_taken_is_found(monkeypatch, name, fault):
    case = plain_case("orchard", 1)
    option = next(one for one in case.plain.meta.options if one.name == "deal")
    monkeypatch.setattr(case.plain, "meta", replace(case.plain.meta, options=(replace(option, name=name),)))
    fields = record_dtype(**dict.fromkeys((*HEADER, "deal", "penalty"), i1))
    monkeypatch.setattr(case.plain.rules, "STATE", fields)
    message = run_check(CHECKS["facts_are_complete"], case).message
    assert fault in message
    assert bool(fault) == bool(message)


def options_takers():
    """Return all functions that take the options of a game by name, beside other arguments."""
    gymnasium = pytest.importorskip("almunia.envs.gymnasium")
    pettingzoo = pytest.importorskip("almunia.envs.pettingzoo")
    takers = Game.new, Game.batch, simulate, prepare, trace, gymnasium.GameEnv, gymnasium.GameVectorEnv
    return *takers, pettingzoo.GameEnv


def test_no_option_is_called_as_an_argument_beside_the_options():
    names = {name for taker in options_takers() for name in signature(taker).parameters} - {"options"}
    assert names <= set(RESERVED_NAMES.split())


@pytest.mark.parametrize("error", [Failure(), AlmuniaError(), ValueError()])
def test_an_error_without_a_message_fails_a_check(error):
    def check(_case):
        raise error

    assert run_check(check, plain_case("orchard", 1)).failed


USED = {(name_of(FAULTS[fault][0]), seats, title) for (fault, seats), titles in FOUND.items() for title in titles}


@pytest.mark.parametrize(("name", "seats", "title"), sorted(USED))
def test_without_a_fault_none_is_found(name, seats, title):
    """If this failed, the tests above would pass for any fault."""
    assert run_check(CHECKS[title], plain_case(name, seats)) == CheckResult()
