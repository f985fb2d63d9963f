"""Tests of Caylus: data, setup, forced actions, words, pictures, plays. Docstrings cite RULES.md."""

import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import almunia
from almunia.core.rich_text import own_points, plain_text
from almunia.games.caylus import components as box
from almunia.games.caylus.components import DATA, Class
from almunia.games.caylus.rules import phases
from almunia.games.caylus.rules.state import FROM_GOLD, ActionKind, Phase, Stage
from almunia.games.caylus.tests import scenes
from almunia.games.caylus.text.actions import decode
from almunia.games.caylus.text.words import TILES, tile_words
from almunia.games.caylus.view import gains, pictures, plan
from almunia.play.panels import panels, preview
from almunia.scenario import put

PLAIN = almunia.game("caylus", "plain")
FAST = almunia.game("caylus")
READER = PLAIN.checked(scenes)
PHASES = PLAIN.checked(phases)
SEATS = (2, 3, 4, 5)
TILES_IN_ORDER = "neutral farm_neutral forest sawmill_neutral quarry_neutral marketplace_neutral carpenter_neutral"


def prepared(seats, *changes, **options):
    play = PLAIN.new(seats, 1, **options)
    for words in changes:
        put(play.state, READER, words)
    play.refresh()
    return play


def told(play, words):
    before, action = play.observe(0).state.copy(), play.string_to_action(words)
    play.apply(action)
    return [plain_text(line) for line in PLAIN.text.log_lines(before, action, play.observe(0).state)]


# --- the data ---------------------------------------------------------------------------------------------------------


def test_the_counts_are_those_of_the_box():
    """[1.2-1.4, D13, D36]"""
    tiles = Counter()
    for row in DATA["building"]:
        tiles[row["class"]] += row["count"] * (not row.get("option", False))
    assert tiles == {"neutral": 6, "fixed": 3, "wood": 8, "stone": 9, "prestige": 9, "residential": 8}
    assert (box.ROAD, box.WORKERS, box.SECTIONS, box.SPACES.tolist()) == (28, 6, 3, [6, 10, 14])
    assert box.TRIGGER.tolist() == [12, 18, 24]
    assert box.COUNT[box.TILE_IDS.index("architect")] == 2
    assert len(box.PAIRS) == 6
    assert (box.FIRST_BUILT, box.BUILT) == (9, 26)


def test_tables_have_the_points_of_sections_and_favours():
    """[2.29, 4.1, 4.4]"""
    assert box.DUE_POINTS[:, :2].tolist() == [[-2, 0], [-3, 0], [-4, 0]]
    assert box.DUE_FAVOURS[:, :7].tolist() == [[0, 0, 1, 1, 1, 1, 1], [0, 0, 1, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2, 3]]
    assert box.OPEN.tolist() == [2, 4, 5, 5]
    assert box.CUBE_FROM.tolist() == [1, 2, 2, 3, 5]
    assert (box.EXCHANGE_FROM, box.CONVERTS_FROM) == (4, 4)
    assert [box.BUILDS_FROM[kind] for kind in (Class.WOOD, Class.STONE, Class.PRESTIGE)] == [2, 3, 5]


# --- randomness -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deals", [240, pytest.param(1200, marks=pytest.mark.exhaustive)])
def test_neutral_tiles_are_laid_evenly(deals):
    """[1.2]"""
    first = Counter(tuple(PLAIN.new(3, seed).state.road[i] for i in range(6)) for seed in range(deals))
    assert all(sorted(tiles) == list(range(6)) for tiles in first)
    places = [sum(count for tiles, count in first.items() if tiles[0] == tile) for tile in range(6)]
    assert chisquare(places).pvalue > 1e-4


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("deals", [250, pytest.param(600, marks=pytest.mark.exhaustive)])
def test_the_turn_order_is_random_and_pays_by_place(seats, deals):
    """[1.6, 2.1, 5.1]"""
    paid = (5, 5) if seats == 2 else (5, 6, 6, 7, 7)
    first = Counter()
    for seed in range(deals):
        s = PLAIN.new(seats, seed).state
        order = [s.order[place] for place in range(seats)]
        assert sorted(order) == list(range(seats))
        assert [s.seat[p].money - box.BASE_INCOME for p in order] == list(paid[:seats])
        first[order[0]] += 1
    assert chisquare([first[p] for p in range(seats)]).pvalue > 1e-4


def test_observations_equal_the_state_and_nothing_is_random_after_the_deal():
    """[1.7]"""
    play = PLAIN.new(3, 5)
    before, rng = play.array["rng"].copy(), np.random.default_rng(5)
    while not play.over:
        seen = play.observe(2).array
        assert all((seen[name] == play.array[name]).all() for name in seen.dtype.names if name != "rng")
        play.apply(int(rng.choice(play.legal_actions)))
    assert (play.array["rng"] == before).all()


# --- whole plays ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("plays", [4, pytest.param(12, marks=pytest.mark.exhaustive)])
def test_no_question_has_one_answer(seats, plays):
    """[D34]"""
    asked = Counter()
    for seed in range(plays):
        play, rng = PLAIN.new(seats, seed), np.random.default_rng(seed)
        while not play.over:
            assert len(play.legal_actions) > 1
            asked[Phase(play.phase)] += 1
            play.apply(int(rng.choice(play.legal_actions)))
    rare = {Phase.NOTHING, Phase.BONUS, Phase.CONVERT, Phase.RESOURCE, Phase.BUILDING, Phase.JOUST, Phase.BATCH}
    assert set(Phase) - rare <= set(asked)


@pytest.mark.compiled
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_plays_end_within_18_turns(seats, bots):
    """[3.1, 3.3]"""
    for seed in range(30):
        play = FAST.new(seats, seed)
        last = 0
        result = almunia.simulate(FAST, 1, seats=seats, bots=[bots] * seats, seed=seed)
        assert result["ending"].tolist() == [1]
        rng = np.random.default_rng(seed)
        while not play.over:
            assert play.state.bailiff >= 6 + play.turns
            last = play.turns
            play.apply(int(rng.choice(play.legal_actions)))
        assert last < 18
        assert play.state.section == box.SECTIONS
        assert play.state.bailiff <= 25


@pytest.mark.compiled
def test_greedy_beats_random():
    for seats in SEATS:
        result = almunia.simulate(FAST, 40, seats=seats, bots=["greedy", *["random"] * (seats - 1)], seed=3)
        assert (result["ranks"][:, 0] == 1).all()


def test_broken_invariants_are_reported():
    """[1.6, 2.19, 2.23, 3.3]"""
    for change, law in (
        ("s.seat[0].money: -1", "deniers"),
        ("worker 9 of 0", "a worker stands on space 9"),
        ("tile 11 bank of 0", "is built on before space 9"),
        ("tile 9 bank", "has the owner -1"),
        ("s.seat[0].houses[0]: 7", "the Dungeon has 7 houses"),
        ("s.provost: 7", "the provost on 7"),
        ("s.seat[0].earned[4]: 5", "5 points for houses"),
        ("s.pending[0]: 1", "space 1 waits for no worker"),
        ("order 0 0 1", "the turn order is"),
    ):
        assert law in READER.broken(prepared(3, change).state)
    play = prepared(3, "tile 9 bank of 0", "tile 10 bank of 1")
    assert "too many of bank" in READER.broken(play.state)


# --- words ------------------------------------------------------------------------------------------------------------


def test_the_log_reports_each_automatic_step():
    """[2.3, 2.14, 2.16, 2.17, 2.27]"""
    play = prepared(
        3,
        TILES_IN_ORDER,
        *("order 0 1 2", "passed 0 1", "worker 3 of 0", "worker trading_post of 1", "worker 16 of 0"),
        *("s.seat[0].money: 0", "s.seat[1].money: 0", "s.seat[2].money: 3", "stage placing"),
    )
    assert told(play, "pass") == [
        "seat 3 passes and takes number 3 on the bridge.",
        "seat 2 uses the Trading Post: +3 deniers.",
        "seat 1 can't pay for a move and leaves the provost on space 6.",
    ]
    assert told(play, "provost 1 forward") == ["seat 2 moves the provost to space 7: \u22121 denier."]
    assert told(play, "provost stays") == [
        "seat 3 leaves the provost on space 7.",
        "seat 1 uses the sawmill on space 3: +1 wood.",
        "seat 1's worker at the gold mine on space 16 is beyond the provost and goes home.",
        "The bailiff moves to space 8, and the provost follows him.",
        "Turn 2. Income: seat 1 +2, seat 2 +2 and seat 3 +2 deniers.",
    ]


def test_the_log_reports_scorings_and_the_end_with_points():
    """[2.29, 3.1]"""
    play = prepared(
        3,
        *("order 0 1 2", "s.section: 2", "s.bailiff: 23", "s.provost: 23", "points 1: 9", "points 2: 1"),
        *("s.seat[0].houses[2]: 2", "cubes 0: 1 gold", "cubes 1: 3 food", "cubes 2: ", "s.seat[0].money: 0"),
        *("s.seat[1].money: 0", "s.seat[2].money: 8", "stage end"),
    )
    assert told(play, "favour prestige") == [
        "seat 1 uses a favour on the prestige line, column 1: +1.",
        "seat 2 has no house in the Towers: \u22124.",
        "seat 3 has no house in the Towers: \u22121.",
        "seat 1 has 1 gold left: +3.",
        "seat 2 has 3 food left: +1.",
        "seat 3 has 8 deniers left: +2.",
        "The Towers have been scored.",
    ]
    assert PLAIN.text.result_lines(play.state, 1)[0] == "6 points, with no house in the castle."


def test_the_log_reports_a_lost_favour():
    """[4.3, D31]"""
    play = prepared(
        3,
        *("order 0 1 2", "passed 0 1 2", "tile 2 residence of 0", "tile 9 architect of 1", "worker 9 of 0"),
        *("cubes 0: 4 stone 2 gold", "s.provost: 9", "stage road"),
        *("s.seat[0].used[0]: 1", "s.seat[0].used[1]: 1", "s.seat[0].used[2]: 1"),
    )
    lines = told(play, "build monument")
    assert lines[0].startswith("seat 1 builds the monument on space 2: +14")
    assert "seat 1 has no line left for a favour." in lines


@pytest.mark.parametrize("options", [{}, {"favours": "points", "jeweller": "yes"}])
def test_effect_texts_are_true(options):
    """Require that the text on an action's effect names the points that its seat scores at once."""
    play, rng = PLAIN.new(3, 4, **options), np.random.default_rng(4)
    while not play.over:
        for action in play.legal_actions[::5]:
            after, effect = play.state.copy(), PLAIN.text.effect_text(play.state, action)
            PHASES.apply_one(after, action)
            gained = sum(after.seat[play.turn].earned) - sum(play.state.seat[play.turn].earned)
            assert own_points(effect) == gained
        play.apply(int(rng.choice(play.legal_actions)))


def test_a_reduced_game_ends_with_the_scoring_of_the_dungeon():
    """Until its end, a reduced game is the published game [D37]."""
    reduced, published, rng = PLAIN.new(3, 4, reduced="yes"), PLAIN.new(3, 4), np.random.default_rng(4)
    while not reduced.over:
        assert reduced.legal_actions == published.legal_actions
        action = int(rng.choice(reduced.legal_actions))
        for play in (reduced, published):
            play.apply(action)
    assert (reduced.state.section, published.state.section, published.over) == (1, 1, False)
    assert reduced.outcome.reason == "The Dungeon has been scored."
    for seat in range(3):  # only gold, cubes and deniers were scored in addition
        gained = np.subtract(reduced.state.seat[seat].earned, published.state.seat[seat].earned)
        assert gained.sum() == gained[FROM_GOLD:].sum() > 0


def test_descriptions_of_buildings_are_different():
    """[1.4, 2.17-2.22]"""
    built = range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT)
    assert len({TILES[tile] for tile in built}) == box.BUILT
    assert tile_words(0) == "neutral building: produces 1 food or 1 cloth"
    stone_farm = box.TILE_IDS.index("farm_stone")
    assert tile_words(stone_farm).endswith("its owner gets 1 food or 1 cloth when another player uses it")


# --- pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", SEATS)
def test_pictures_have_short_numbers(seats):
    """No number in a picture has more than two decimal places."""
    play, rng = PLAIN.new(seats, 2), np.random.default_rng(2)
    for _ in range(90):
        play.apply(int(rng.choice(play.legal_actions)))
    for panel in panels(play.observe(play.turn), play.legal_actions):
        assert not re.search(r"\.\d{3}", panel.svg)


def drawn_for(play, panel=0):
    return panels(play.observe(0), ())[panel].svg


def test_a_full_board_is_a_small_picture():
    """A board with 28 buildings and the workers of five seats has at most 60,000 bytes."""
    play = PLAIN.new(5, 3, jeweller="yes")
    s = play.state
    built = [tile for kind in (Class.WOOD, Class.STONE, Class.PRESTIGE) for tile in np.flatnonzero(kind == box.CLASS)]
    free = [space for space in range(box.ROAD) if s.road[space] < 0]
    for number, (space, tile) in enumerate(zip(free, built, strict=False)):
        s.road[space], s.owner[space] = tile, number % 5
    workers = iter(range(5 * box.WORKERS))
    for circles in (s.special, s.stables, s.castle, s.worker):
        for place, number in zip(range(len(circles)), workers, strict=False):
            circles[place] = number % 5
    for seat in range(5):
        for section, houses in enumerate((2 if seat < 3 else 0, 2, 3 if seat < 4 else 2)):
            s.seat[seat].houses[section] = houses
        for line in box.Line:
            s.seat[seat].favour[line] = 1 + (seat + line) % box.COLUMNS
    s.section, s.provost = 2, 24
    assert 50_000 < len(drawn_for(play)) <= 60_000


def test_houses_are_stones_in_the_colours_of_their_builders():
    """[2.24, 2.30]"""
    play = prepared(3, "s.seat[0].houses[0]: 2", "s.seat[2].houses[0]: 1", "s.seat[1].houses[1]: 4", "s.section: 1")
    drawn = drawn_for(play)
    dungeon, walls = (drawn.partition(f'id="section-{number}"')[2].partition('id="section-')[0] for number in range(2))
    assert re.findall(r"#(house-\d|gap)", dungeon) == ["house-0", "house-2", "house-0", "gap", "gap", "gap"]
    assert re.findall(r"#(house-\d|gap)", walls) == ["house-1"] * 4
    assert walls.count("free") == 6


@pytest.mark.parametrize(("section", "roofs"), [(0, 1), (1, 1), (2, 1), (3, 3)])
def test_the_castle_has_a_scaffold_until_it_has_roofs(section, roofs):
    drawn = drawn_for(prepared(3, f"s.section: {section}"))
    assert (drawn.count('class="scaffold"'), drawn.count('class="roof"')) == (section < 3, roofs)


def test_a_section_has_a_sign_on_the_road_until_it_is_scored():
    """[2.28]"""
    signs = [drawn_for(prepared(3, f"s.section: {section}")).count('href="#sign"') for section in range(4)]
    assert signs == [3, 2, 1, 0]


def test_prices_of_the_provosts_moves_leave_signs_clear():
    """[2.15, 2.28]"""
    changes = ("order 0 1 2", "passed 0 1 2", "s.bailiff: 9", "s.provost: 11", "s.seat[0].money: 5", "stage provost")
    play = prepared(3, TILES_IN_ORDER, *changes)
    board = panels(play.observe(0), play.legal_actions)[0].svg
    pieces = {space: board.partition(f'id="space-{space}"')[2].partition('id="space-')[0] for space in (12, 13)}
    chips = re.compile(r'translate\((\S+) 95\)"><g class="promise"')
    assert {space: float(chips.search(drawn)[1]) for space, drawn in pieces.items()} == {12: 53, 13: 114}


def test_two_players_see_the_stables_crossed_out():
    """[5.1]"""
    two, three = (drawn_for(PLAIN.new(seats, 1)).partition('id="stables"')[2].partition("</g>")[0] for seats in (2, 3))
    assert "crossed" in drawn_for(PLAIN.new(2, 1))
    assert "crossed" not in drawn_for(PLAIN.new(3, 1))
    assert "not with two players" in two
    assert "not with two players" not in three


def test_favours_that_are_points_have_no_table():
    """[4.6]"""
    assert "line-prestige" in drawn_for(PLAIN.new(3, 1))
    drawn = drawn_for(PLAIN.new(3, 1, favours="points"))
    assert "line-prestige" not in drawn
    assert "Each favour is worth" in drawn


def test_the_road_is_pale_beyond_the_provost():
    near, far = (drawn_for(prepared(3, f"s.provost: {space}")) for space in (3, 27))
    ways = [re.search(r'id="near-way" d="([^"]*)"', drawn)[1] for drawn in (near, far)]
    assert ways[0].count("Q") < ways[1].count("Q")
    whole = re.search(r'id="whole-way" d="([^"]*)"', near)[1]
    assert whole.startswith(ways[1].rpartition("H")[0])


def test_a_built_tile_leaves_an_empty_slot_in_the_stock():
    """[1.4]"""
    before = drawn_for(prepared(3), 1)
    after = drawn_for(prepared(3, "tile 9 mason of 1", "tile 10 architect of 2"), 1)
    places = [re.findall(r'id="tile-(\w+)" class="piece" style="([^"]*)"', drawn) for drawn in (before, after)]
    assert places[0] == places[1]
    assert "Mason: built by player 2 on space 9" in after
    assert "\N{MULTIPLICATION SIGN}2" in before
    assert "\N{MULTIPLICATION SIGN}2" not in after
    both = drawn_for(prepared(3, "tile 9 architect of 1", "tile 10 architect of 2"), 1)
    assert "Architect: built by player 2 on space 9, by player 3 on space 10" in both


def test_the_owners_share_is_printed_on_stone_buildings():
    """[2.18]"""
    drawn = drawn_for(prepared(3, "tile 9 park of 1", "tile 10 mason of 1"))
    park, mason = (drawn.partition(f'id="space-{space}"')[2].partition("</text></g>")[0] for space in (9, 10))
    assert "#i-owner" in park
    assert "#i-owner" not in mason


def test_places_can_be_clicked():
    """[2.5, 2.10, 2.19, 4.2]"""
    common = ("order 0 1 2", "passed 0 1 2", "s.provost: 9")
    for changes, count in (
        (("order 0 1 2", "stage placing"), "place at"),
        (("order 0 1 2", "passed 0 1 2", "worker merchants_guild of 0", "stage special"), "provost"),
        ((*common, "worker 6 of 0", "stage road"), "build"),
        ((*common, "worker 1 of 0", "stage road"), "take"),
        ((*common, "s.bailiff: 11", "s.provost: 11", "s.seat[0].houses[0]: 2", "stage end"), "favour"),
    ):
        play = prepared(3, TILES_IN_ORDER, *changes)
        drawn = "".join(panel.svg for panel in panels(play.observe(play.turn), play.legal_actions))
        wanted = [action for action in play.legal_actions if play.action_to_string(action).startswith(count)]
        assert wanted
        assert all(f'data-action="{action}"' in drawn for action in wanted)


def test_a_favour_offers_tiles_cheaper_and_covers_no_residence():
    """[2.21, 4.4]"""
    order = ("order 0 1 2", "passed 0 1 2", "worker joust_field of 0", "s.section: 2", "favour 0 buildings 3")
    play = prepared(3, TILES_IN_ORDER, *order, "cubes 0: 1 food 2 cloth", "s.seat[0].money: 1", "stage special")
    for words in ("joust", "favour buildings"):
        play.apply(play.string_to_action(words))
    board, *_, buildings = (panel.svg for panel in panels(play.observe(0), play.legal_actions))
    for action in play.legal_actions:
        kind = play.action_to_string(action).split()[0]
        assert (f'data-action="{action}"' in board) == (kind == "convert")
        assert (f'data-action="{action}"' in buildings) == (kind == "build")
    assert "costs 1 food<" in buildings
    assert "costs 1 food and 1 wood" not in buildings


def test_workers_beyond_the_provost_are_hollow():
    """[2.16]"""
    play = prepared(3, "worker 7 of 0", "worker 6 of 1")
    main = panels(play.observe(0), ())[0].svg
    assert main.count("worker beyond") == 1
    put(play.state, READER, "s.provost: 7")
    assert "worker beyond" not in panels(play.observe(0), ())[0].svg


def test_ghosts_show_costs_and_gains():
    """[2.4, 2.15, 2.19, 2.21]"""
    for changes, words, shown in (
        (("order 0 1 2", "passed 1", "stage placing"), "place at castle", ("worker", ">2<")),
        (("order 0 1 2", "passed 0 1 2", "stage provost"), "provost 3 forward", ("provost", ">3<")),
        (("order 0 1 2", "passed 0 1 2", "worker 6 of 0", "stage road"), "build mason", ("Mason", ">4<")),
    ):
        play = prepared(3, TILES_IN_ORDER, *changes)
        drawn = preview(play.observe(play.turn), play.string_to_action(words))
        assert all(part in drawn for part in shown)


def test_ghosts_cover_no_number_of_a_space():
    """The number of a space lies at 14, a sign from 62 on; what a ghost pays and gains is at most 45 wide."""
    state = prepared(3, "s.section: 1").state
    for space in range(box.ROAD):
        x, y = pictures.tag_at(state, space)
        assert y > plan.TILE_Y
        assert x - 22.5 > 21
        assert x + 22.5 < (67 if space + 1 in box.TRIGGER[1:] else 127)


def test_promise_chips_are_beside_the_place_of_the_worker():
    """A place where a worker may go has a ring, and chips that are not too wide leave it free."""
    play = prepared(3, TILES_IN_ORDER, "order 0 1 2", "stage placing", "s.provost: 8", "s.seat[0].money: 9")
    drawn = panels(play.observe(0), play.legal_actions)[0].svg
    decoded = [decode(action) for action in play.legal_actions]
    places = [place for kind, place in decoded if kind == ActionKind.PLACE and place < box.ROAD]
    assert drawn.count('class="vacant"') == len(places) > 5
    found = re.findall(r'translate\((\S+) 66\)"><g class="promise">(.*?)</g></g></g>', drawn)
    assert len(found) > 2
    for x, chips in found:
        half = sum(gains.WIDE[kind] for kind in re.findall(r'class="chip (\w+)', chips)) / 2
        assert float(x) + half <= 97 or half > 47


def test_stages_without_decisions_are_automatic():
    """[2.2, 2.30]"""
    play = prepared(3, "order 0 1 2", "stage placing")
    for words in ("pass", "pass", "pass", "provost stays", "provost stays", "provost stays"):
        play.apply(play.string_to_action(words))
    assert (play.turns, play.state.stage, play.turn) == (1, Stage.PLACING, 0)
