"""Tests of the independent implementation of Caylus, in constructed positions."""

from almunia.games.caylus.tests.naive import DECLINE, SECTION, Naive

NEUTRAL = ["farm_neutral", "forest", "sawmill_neutral", "quarry_neutral", "marketplace_neutral", "carpenter_neutral"]
BLUE, RED, GREEN, ORANGE = range(4)
NOTHING = {"food": 0, "wood": 0, "stone": 0, "cloth": 0, "gold": 0}


def game(seats=4, order=None, **options):
    return Naive(seats, NEUTRAL, order or list(range(seats)), **options)


def give(g, seat, **cubes):
    g.cubes[seat] = NOTHING | cubes


def lay(g, space, building, owner=None, worker=None):
    plot = g.road[space]
    if g.supply.get(building):
        g.supply[building] -= 1
    plot.building = building
    plot.owner = owner
    if worker is not None:
        plot.worker = worker
        g.home[worker] -= 1


def answer(g, *choices):
    for choice in choices:
        g.choose(choice)


def to_castle(g, *seats):
    for seat in seats:
        g.castle.append(seat)
        g.home[seat] -= 1


def special(g, **workers):
    for name, seat in workers.items():
        g.special[name] = seat
        g.home[seat] -= 1


def full(g, section, seat, number):
    g.houses[section][seat] = number


def test_prices():
    g = game(4, [BLUE, GREEN, ORANGE, RED])
    lay(g, 9, "mason", GREEN)
    lay(g, 10, "farm_food", RED)
    to_castle(g, BLUE)
    g.resume("workers")
    g.money = [5, 20, 5, 5]
    answer(g, ("pass",))
    assert g.money[BLUE] == 6
    answer(g, ("place", "road", 7))
    assert g.money[GREEN] == 3
    answer(g, ("pass",))
    assert g.money[ORANGE] == 5
    answer(g, ("place", "road", 9))
    assert (g.money[RED], g.points[GREEN]) == (17, 1)
    answer(g, ("pass",), ("place", "road", 10))
    assert (g.money[RED], g.points[RED]) == (16, 0)
    answer(g, ("place", "castle"))
    assert g.money[RED] == 12
    assert g.castle == [BLUE, RED]
    assert g.bridge == [BLUE, ORANGE, GREEN]


def test_a_forced_pass_waits_for_its_turn():
    g = game(3)
    g.money = [1, 5, 5]
    g.resume("workers")
    answer(g, ("place", "road", 1))
    assert g.bridge == []  # seat 0 has no money left, but has not passed yet
    answer(g, ("pass",))
    assert g.money[1] == 6
    answer(g, ("place", "road", 2))
    assert g.money[2] == 3
    assert g.bridge == [1, 0]  # now seat 0 has passed, without the denier
    assert g.money[0] == 0
    assert g.question() == ("place", 2)
    assert g.price(2, ("castle",)) == 3


def test_gate_to_the_inn_swaps_at_once():
    g = game(3)
    special(g, gate=0)
    g.inn_right = 1
    g.home[1] -= 1
    g.bridge = [0, 1, 2]
    g.resume("special")
    answer(g, ("gate", "inn"))
    assert (g.inn_left, g.inn_right, g.home) == (None, 0, [5, 6, 6])


def test_stables():
    g = game(4, [RED, GREEN, ORANGE, BLUE])
    g.stables = [BLUE, RED]
    g.order_by_stables()
    assert g.turn_order == [BLUE, RED, GREEN, ORANGE]


def test_one_player_twice_at_the_inn():
    g = game(3)
    g.inn_left = g.inn_right = 2
    g.home[2] = 4
    g.bridge = [0, 1, 2]
    g.resume("special")
    assert (g.inn_left, g.inn_right, g.home[2], g.phase) == (None, 2, 5, "provost")


def test_provost():
    g = game(4)
    g.bridge = [BLUE, ORANGE, RED, GREEN]
    g.money = [3, 3, 3, 3]
    g.provost = 10
    g.play(g.phase_provost())
    answer(g, ("provost", 0), ("provost", -2), ("provost", 2), ("provost", -1))
    assert g.provost == 9
    assert [g.money[seat] for seat in (BLUE, ORANGE, RED, GREEN)] == [3, 1, 1, 2]


def test_stone_farm():
    g = game(3)
    lay(g, 9, "farm_stone", 1, worker=0)
    g.provost = 9
    give(g, 0)
    give(g, 1)
    g.play(g.phase_road())
    assert g.question() == ("bonus", 1)
    assert g.choices() == [("bonus", "food"), ("bonus", "cloth")]
    answer(g, ("bonus", "cloth"))
    assert g.cubes[0] == NOTHING | {"food": 2, "cloth": 1}
    assert g.cubes[1] == NOTHING | {"cloth": 1}
    lay(g, 9, "farm_stone", 1, worker=1)
    g.play(g.phase_road())
    assert g.question() is None
    assert g.cubes[1] == NOTHING | {"food": 2, "cloth": 2}


def test_statue():
    g = game(3)
    lay(g, 9, "architect", 1, worker=0)
    lay(g, 10, "residence", 0)
    lay(g, 11, "residence", 0)
    g.provost = 9
    give(g, 0, stone=2, gold=1)
    g.play(g.phase_road())
    assert g.choices() == [("prestige", "statue"), DECLINE]
    answer(g, ("prestige", "statue"), ("site", 11), ("line", "prestige"))
    assert g.points[0] == 7 + 1
    assert g.cubes[0] == NOTHING
    assert (g.road[11].building, g.road[11].owner, g.supply["statue"]) == ("statue", 0, 0)
    assert g.residences(0) == [10]


def test_delayed_residences():
    g = game(3)
    lay(g, 9, "lawyer", 0, worker=0)
    lay(g, 10, "lawyer", 1, worker=0)
    lay(g, 11, "park", 0, worker=1)
    lay(g, 12, "mason", 0, worker=1)
    g.provost = 11
    give(g, 0, cloth=2)
    give(g, 1)
    g.play(g.phase_road())
    answer(g, ("lawyer", 11))
    assert (g.road[11].building, g.points[0]) == ("park", 2)
    assert g.question() == ("lawyer", 0)
    assert ("lawyer", 11) not in g.choices()
    answer(g, ("lawyer", 12))
    assert g.question() == ("bonus", 0)  # the owner's cube of the park is still his
    assert g.road[11].building == "park"
    answer(g, ("bonus", "wood"))
    assert [g.road[space].building for space in (11, 12)] == ["residence", "residence"]
    assert (g.points[0], g.supply["park"], g.supply["mason"], g.home[1]) == (4, 1, 1, 6)
    assert g.cubes[1] == NOTHING | {"wood": 2, "food": 1}


def test_a_residence_by_joust_waits():
    g = game(3)
    g.scored["dungeon"] = True
    g.favours[0]["buildings"] = 3
    special(g, joust_field=0)
    give(g, 0, cloth=2)
    g.road[2].worker = 1
    g.home[1] -= 1
    g.bridge = [0, 1, 2]
    g.resume("special")
    answer(g, ("joust",), ("line", "buildings"), ("column", 4), ("lawyer", 2))
    assert (g.road[2].building, g.road[2].residence_for, g.points[0]) == ("forest", 0, 2)
    for _ in range(3):
        answer(g, ("provost", 0))
    assert g.question() == ("produce", 1)
    answer(g, ("produce", (("wood", 1),)))
    assert (g.road[2].building, g.road[2].owner) == ("residence", 0)


def test_the_building_at_work_is_a_target():
    g = game(3)
    g.scored["dungeon"] = True
    g.favours[0]["buildings"] = 4
    lay(g, 9, "mason", 0, worker=0)
    g.provost = 9
    give(g, 0, stone=1, cloth=2)
    g.play(g.phase_road())
    answer(g, ("build", "church"), ("line", "buildings"), ("column", 4))
    assert {("lawyer", 9), ("lawyer", 10)} <= set(g.choices())
    answer(g, ("lawyer", 9))
    assert (g.road[9].building, g.road[10].building, g.points[0]) == ("residence", "church", 5)
    assert g.supply["mason"] == 1


def test_overflow():
    g = game(4)
    full(g, "dungeon", BLUE, 4)
    to_castle(g, RED, GREEN)
    give(g, RED, food=2, stone=2, wood=2)
    give(g, GREEN, food=2, cloth=2, gold=2)
    g.play(g.phase_castle())
    answer(g, ("batch", ("wood", "stone")), ("stop",))
    assert g.points[RED] == 5
    answer(g, ("batch", ("cloth", "gold")), ("batch", ("cloth", "gold")))
    assert g.points[GREEN] == 9
    assert (g.houses["dungeon"], g.houses["walls"]) == ([4, 1, 1, 0], [0, 0, 1, 0])
    assert g.question() == ("line", GREEN)


def test_a_tie_goes_to_the_lower_circle():
    g = game(4)
    to_castle(g, RED, GREEN)
    give(g, RED, food=1, stone=1, wood=1)
    give(g, GREEN, food=1, stone=1, wood=1)
    g.play(g.phase_castle())
    answer(g, ("batch", ("wood", "stone")), ("batch", ("wood", "stone")))
    assert g.question() == ("line", RED)


def test_full_towers():
    g = game(3)
    g.scored["dungeon"] = g.scored["walls"] = True
    full(g, "towers", 1, 13)
    to_castle(g, 2, 0, 1)
    g.points = [9, 9, 9]
    for seat in range(3):
        give(g, seat, food=2, wood=2, cloth=2)
    g.play(g.phase_castle())
    answer(g, ("batch", ("wood", "cloth")))
    assert g.question() == ("line", 2)
    assert g.points == [9, 9, 12]


def test_bailiff():
    g = game(3)
    g.bailiff, g.provost = 10, 8
    g.play(g.phase_end())
    assert (g.bailiff, g.provost, g.scored["dungeon"]) == (11, 11, False)
    g.bailiff, g.provost = 10, 11
    g.play(g.phase_end())
    assert (g.bailiff, g.provost, g.scored["dungeon"]) == (12, 12, True)


def test_dungeon():
    g = game(4, [RED, BLUE, ORANGE, GREEN])
    g.houses["dungeon"] = [3, 2, 1, 0]
    g.houses["walls"][GREEN] = 1
    g.points = [5, 5, 5, 1]
    g.play(g.score_section("dungeon"))
    assert g.question() == ("line", RED)
    answer(g, ("line", "prestige"))
    assert g.question() == ("line", BLUE)
    answer(g, ("line", "prestige"))
    assert g.question() is None
    assert g.points == [6, 6, 5, 0]


def test_a_marker_that_cannot_advance():
    g = game(4)
    g.favours[ORANGE]["prestige"] = 2
    g.play(g.royal_favours(ORANGE, 1))
    answer(g, ("line", "prestige"))
    assert (g.points[ORANGE], g.favours[ORANGE]["prestige"]) == (2, 2)


def test_a_lower_column():
    g = game(4)
    g.scored["dungeon"] = g.scored["walls"] = True
    g.favours[BLUE]["resources"] = 2
    lay(g, 9, "mason", BLUE, worker=BLUE)
    g.provost = 9
    give(g, BLUE, stone=1, cloth=1)
    g.play(g.phase_road())
    answer(g, ("build", "church"), ("line", "resources"))
    assert g.choices() == [("column", 1), ("column", 2), ("column", 3), DECLINE]
    answer(g, ("column", 1))
    assert g.favours[BLUE]["resources"] == 3
    assert g.cubes[BLUE] == NOTHING | {"food": 1}


def test_park_at_a_discount():
    g = game(4)
    g.scored["dungeon"] = True
    g.favours[GREEN]["buildings"] = 2
    special(g, joust_field=GREEN)
    lay(g, 9, "mason", RED)
    give(g, GREEN, cloth=1, food=1)
    g.bridge = [0, 1, 2, 3]
    g.resume("special")
    answer(g, ("joust",), ("line", "buildings"), ("column", 3), ("build", "park"))
    assert (g.road[10].building, g.road[10].owner, g.points[GREEN], g.favours[GREEN]["buildings"]) == ("park", 2, 3, 3)
    assert g.cubes[GREEN] == NOTHING


def test_columns_open_between_two_sections():
    g = game(2)
    g.scored["dungeon"] = True
    full(g, "walls", 0, 10)
    full(g, "towers", 0, 14)
    g.favours[0] = dict.fromkeys(g.favours[0], 4)
    give(g, 0)
    g.phase = "end"
    g.lines_used = [set(), set()]
    g.play(g.phase_end())
    answer(g, ("line", "prestige"), ("line", "deniers"), ("line", "resources"), DECLINE)
    # [4.3] over both sections: one line is left for the Towers and is chosen automatically; column 5 is now open
    assert g.question() is None
    assert g.favours[0] == {"prestige": 4, "deniers": 4, "resources": 4, "buildings": 5}
    assert all(g.scored.values())


def test_overflow_into_a_third_section():
    g = game(2)
    full(g, "dungeon", 1, 5)
    to_castle(g, 0)
    give(g, 0, food=20, wood=20, stone=20, cloth=1)
    g.play(g.phase_castle())
    for _ in range(12):
        answer(g, ("batch", ("wood", "stone")))
    assert [g.houses[section][0] for section in SECTION] == [1, 10, 1]
    assert g.points[0] == 5 + 40 + 3


def test_four_lines_in_a_phase():
    g = game(2)
    g.play(g.royal_favours(0, 5))
    answer(g, ("line", "buildings"), ("line", "resources"), DECLINE, ("line", "prestige"))
    assert g.question() is None  # the fourth took the last line, the fifth is lost
    assert list(g.favours[0].values()) == [1, 1, 1, 1]
    g.resume("castle")
    assert g.lines_used == [set(), set()]


def test_nested_favours_come_first():
    g = game(2)
    g.scored["dungeon"] = g.scored["walls"] = True
    g.favours[0]["buildings"] = 5
    lay(g, 9, "residence", 0)
    give(g, 0, stone=4, gold=2)
    g.play(g.royal_favours(0, 2))
    answer(g, ("line", "buildings"), ("column", 5), ("prestige", "monument"))
    assert g.points[0] == 14
    answer(g, ("line", "prestige"), ("line", "deniers"))
    # the Monument's two favours are used; the second favour of the award has one line left
    assert g.question() == ("column", 0)
    assert g.favours[0]["resources"] == 1


def test_exchange():
    g = game(2)
    g.scored["dungeon"] = True
    g.favours[0]["resources"] = 3
    give(g, 0, gold=1)
    g.play(g.royal_favours(0, 1))
    answer(g, ("line", "resources"), ("column", 4))
    assert g.choices() == [("take", kind) for kind in ("food", "wood", "stone", "cloth")]
    answer(g, ("take", "stone"), ("take", "stone"))
    assert g.cubes[0] == NOTHING | {"stone": 2}
    give(g, 0)
    g.lines_used = [set(), set()]
    g.play(g.royal_favours(0, 1))
    answer(g, ("line", "resources"))
    assert ("column", 4) not in g.choices()


def test_the_end():
    g = game(2)
    g.scored = dict.fromkeys(SECTION, True)
    g.points = [10, 11]
    g.money = [7, 3]
    give(g, 0, food=2, wood=2, stone=1, cloth=1, gold=1)
    give(g, 1, food=2, gold=1)
    g.end_of_game()
    assert g.points == [10 + 3 + 2 + 1, 11 + 3]
    assert g.winners == [0]
    g.points = [3, 3]
    g.cubes[0] = dict(g.cubes[1])
    g.money = [0, 0]
    g.end_of_game()
    assert g.winners == [0, 1]


def test_longest_and_shortest_game():
    def play(steps):
        g = game(3)
        while g.question() is not None:
            word = g.question()[0]
            if word == "provost":
                legal = [choice[1] for choice in g.choices()]
                goal = -1 if steps < 0 else 1
                need = goal - (g.provost - g.bailiff)
                g.choose(("provost", min(max(need, legal[0]), legal[-1])))
            else:
                g.choose(("pass",) if word == "place" else g.choices()[-1])
        return g.turn, g.bailiff

    assert play(-1) == (18, 24)
    assert play(1) == (9, 24)
