"""Component data: the shipped files, and the corrections that an owner of the box may make in another file."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import pytest

import almunia
from almunia import catalog
from almunia.core import component_data
from almunia.errors import MissingExtra, SetupError

pytest.importorskip("pydantic", reason="the extra [components] is not installed")

from almunia.core.corrections import (
    FALLING,
    RISING,
    UNIQUE,
    Corrections,
    Name,
    Partial,
    Whole,
    between,
    repeats,
    rows,
)

GAMES = [name for name, package in catalog.game_packages().items() if package.startswith("almunia.")]


def module_of(game: str) -> Any:
    """Return the module `components` of a game."""
    return import_module(f"almunia.games.{game}.components")


def shipped(game: str) -> str:
    """Return the text of a game's shipped file."""
    return Path(module_of(game).__file__).with_name("components.toml").read_text("utf-8")


def edited(game: str, *edits: tuple[str, str]) -> str:
    """Return the text of a game's file in which the first occurrence of each old text is replaced."""
    text = shipped(game)
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The folder of corrected files."""
    monkeypatch.setenv(component_data.ENV_VAR, str(tmp_path))
    return tmp_path


def read(game: str) -> component_data.Data:
    """Return the data that a process would read now."""
    box = module_of(game)
    return component_data.read(box.__file__, f"{box.__name__}.schema")


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_copy_of_the_shipped_file_is_taken(game, mine):
    assert read(game) == module_of(game).DATA
    assert component_data.corrected_file(game) is None
    (mine / f"{game}.toml").write_text(shipped(game), "utf-8")
    assert read(game) == module_of(game).DATA
    assert component_data.corrected_file(game) == mine / f"{game}.toml"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_as_editors_save_it(mine, encoding):
    text = edited("orchard", ("penalty_each = 3", "penalty_each = 2")).replace("\n", "\r\n")
    (mine / "orchard.toml").write_bytes(text.encode(encoding))
    assert read("orchard")["rotten"]["penalty_each"] == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[cards\n", "cannot be read: "),
        ("a = 1\na = 2\n", "cannot be read: "),
        (b"a = '\xff'\n", "cannot be read: "),
        ("x = " + "[" * 5000, "is nested too deeply"),
        ("#" * 300_000, "has 300000 bytes, and such a file has at most 262144"),
        ("", "cannot be used: the file lacks 'game'; the file lacks 'fruits'"),
    ],
)
def test_an_invalid_file_is_refused(mine, text, reason):
    path = mine / "orchard.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SetupError, match=reason) as refused:
        read("orchard")
    assert str(path) in str(refused.value)


def test_a_folder_that_does_not_exist_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(component_data.ENV_VAR, str(tmp_path / "nowhere"))
    with pytest.raises(SetupError, match=r"^ALMUNIA_COMPONENTS names .*nowhere, which is no folder\.$"):
        read("orchard")


def test_corrected_files_need_pydantic(mine, monkeypatch):
    for name in [name for name in sys.modules if name.endswith("orchard.components.schema")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "almunia.core.corrections")
    monkeypatch.setitem(sys.modules, "pydantic", None)
    assert read("orchard")
    (mine / "orchard.toml").write_text(shipped("orchard"), "utf-8")
    with pytest.raises(MissingExtra, match=r"component tables need the package pydantic, .*'almunia\[components\]'"):
        read("orchard")


@pytest.mark.parametrize("fault", ["import nothing_of_this_name", "from almunia import nothing_of_this_name"])
def test_a_schema_that_cannot_be_imported_raises_its_own_error(mine, monkeypatch, fault):
    (mine / "toy").mkdir()
    for name in ("toy.toml", "toy/components.toml"):
        (mine / name).write_text("[cards]\nhighest = 5\n")
    (mine / "toyschema.py").write_text(fault)
    monkeypatch.syspath_prepend(mine)
    with pytest.raises(ImportError, match="nothing_of_this_name") as told:
        component_data.read(str(mine / "toy" / "components.py"), "toyschema")
    assert not isinstance(told.value, MissingExtra)


def test_a_game_without_a_schema_takes_no_correction(tmp_path, monkeypatch):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "components.toml").write_text("[cards]\nhighest = 5\nnames = ['x']\n")
    monkeypatch.setenv(component_data.ENV_VAR, str(tmp_path))
    (tmp_path / "toy.toml").write_text("[cards]\nhihgest = 5\nnames = [1]\n")
    with pytest.raises(SetupError) as refused:
        component_data.read(str(tmp_path / "toy" / "components.py"))
    assert str(refused.value).endswith(
        "cannot be used: cards lacks 'highest'; cards, names is [1] and must be ['x']; "
        "cards has 'hihgest', which is not known here."
    )


# --- what owners get wrong ------------------------------------------------------------------------------

MISTAKES = {  # what an owner replaces by what, and what is said
    "alpujarras": [
        ("farmers_per_player = 15", "farmers_per_player = 8", "farmers_per_player is 8 and must be 15"),
        ("max_norias = 5", "max_noria = 5", "limits lacks 'max_norias'; limits has 'max_noria', which is not"),
        ("faces = [1, 2", "faces = [0, 2", "die, faces 1 is 0 and must be from 1 to 6"),
        ("faces = [1, 2", "faces = [2", "die, faces is [2, 3, 4, 5, 6] and must have 6 rows"),
        ('"harvest", "end"]', '"end", "harvest"]', "and must run from go to end"),
        ('id = "yellow"', 'id = "Orange"', "farmland 2, id is 'Orange' and must be another one than farmland 1"),
        ('color = "orange"', 'color = "pink"', "farmland 1, color is 'pink' and must be 'orange', 'yellow',"),
        ('"orange", "grape", "lemon"', '"lemon"', "farmland 1, fields is ['lemon'] and must have orange"),
        ('["lemon", "orange", "apple"]', '["lemon", "lemon", "lemon", "lemon", "lemon"]', "has 7 fields of lemon, and"),
        ('new_fields = ["orange:inner', 'new_fields = ["x', "must be different, and begin with orange:"),
        ('adjacent = ["c1i"]', 'adjacent = ["c9"]', "channel_start 1, adjacent is ['c9'] and must be some of"),
        ('adjacent = ["start1", "c1s"]', "adjacent = []", "must have from 1 to 15 rows"),
        ('shape = "straight"', 'shape = "t"', "channel_space has 11 spaces of shape t and must have 10"),
        ('leads_to = "yellow:inner"\n', "", "channel_space 1 has the shape 't', and t spaces alone must have"),
        ("icons = { noria = 0,", "icons = { noria = 0.5,", "icons, noria is 0.5 and must be a valid integer"),
        ("bonus = [2, 1, 1, 0, 0]", "bonus = [2, 1, 1, 1, 0]", "must be 1 or 2 three times, then 0 twice"),
        ("two_three_player_numbers = [2,", "two_three_player_numbers = [3,", "without a 2"),
        ('fruits = ["lemon", "cherry"]', 'fruits = ["lemon", "lemon"]', "delivery_card 5, fruits is ['lemon', "),
        ('fruits = ["lemon", "cherry"]\nvalue = 2', 'fruits = ["lemon", "cherry"]\nvalue = 3', "worth 2"),
        ('requirement = { kind = "different_fruit", n = 3', "requirement = { n = 3", "goal 1, requirement is {'n'"),
        ("noria = 1 }]", "dirhem = 1 }]", "must be dirhems, and norias on the last space alone"),
        ('red = [{ a = "dirhem", n = 1 }]', 'red = [{ a = "goal" }]', "award_token 1, red is [{'a': 'goal'}] and"),
        ('standard = [\n  [{ a = "add_farmer" }', 'standard = [\n  [{ a = "dance" }', "segment 1, green, standard 1"),
        ('standard = [\n  [{ a = "add_farmer" }', 'standard = [\n  [{ a = "irrigate", n = 2 }', "standard 1 1 is"),
        ("start_spots = 4", "start_spots = 3", "segment 1, green, start_spots is 3 and must be from 4 to 6"),
        ("start_spots = 4", "start_spots = true", "segment 1, green, start_spots is True and must be a valid"),
        ("start_spots = 4", "end_dirhems = [4, 3, 2, 1]", "green has end_dirhems, standard and must have"),
        ("end_dirhems = [4, 3,", "end_dirhems = [3, 4,", "must fall from each number to the next"),
    ],
    "alhambra": [
        ("price = 2", "price = 0", "tile 1, price is 0 and must be from 1 to 20"),
        ("price = 2", "price = '2'", "tile 1, price is '2' and must be a valid integer"),
        ('walls = "NEW"', 'walls = "WEN"', "tile 1, walls is 'WEN' and must be at most three of NESW, in this order"),
        ('price = 2\nwalls = "NEW"', 'price = 3\nwalls = "SW"', "tile 2 (pavilion-3-SW) has kind, price and walls of"),
        ('[[tile]]\nid = "pavilion-2-NEW"\ntype = "pavilion"\nprice = 2\nwalls = "NEW"\n', "", "has 53 rows and must"),
        ("count = 7", "count = 8", "building_type 1, count is 8, and tile has 7 of the kind pavilion"),
        ("round1 = [1]", "round1 = [9]", "building_type 1 has [9, 8, 16] for first places, which must rise"),
    ],
    "orchard": [
        ("ladder = [1, 3, 6, 10]", "ladder = [1, 6, 3, 10]", "dice, ladder is [1, 6, 3, 10] and must rise from each"),
        ('["LA", "AL", "PP"]', '["LA", "AA", "PP"]', "card 1, rows is ['LA', 'AA', 'PP'] and must be three rows"),
        ('["AL", "AL", "PP"]', '["PP", "LA", "AL"]', "must be another face than that of card 1"),
        ("[1,2],[3,4]", "[1,2],[2,4]", "and must have each card from 1 to 18 once"),
        ("min = 25", "min = 26", "tier 2, min is 26 and must be 25, so that no score is left out"),
        ('name = "Forget-apple"', 'name = " Forget"', "tier 2, name is ' Forget' and must be words with single spaces"),
        ("target = 36", "target = 46", "solo_challenge_s4, game 1, target is 46 and must be at most 45, the best"),
        ("game = 2", "game = 1", "solo_challenge_s4, game 2, game is 1 and must be another one than"),
    ],
    "oregon": [
        ('name_en = "Church"', 'name_en = "HARBOR"', "building 3, name_en is 'HARBOR' and must be another one than"),
        ("points = 3", "points = 0", "building 1, points is 0, and it scores 'fixed'"),
        ("{ 1 = 7, 2", "{ 1 = 8, 2", "must add up to 21, and its numbers add up to 22"),
        ("{ 1 = 7, 2", "{ 4 = 7, 2", "coal, values has 4, 2, 3 and must have 1, 2, 3"),
        ('"....^^^^....=.."', '"....^^^^....=."', "board, map, grid must be 10 rows of 15 letters"),
        ('"....^^^^....=.."', '"~...^^^^....=.."', "board, map: the map has 3 lakes instead of 2"),
    ],
    "caylus": [
        ("length = 28", "length = 30", "road, length is 30 and must be 28"),
        ("layout_rows = [[2, 1]", "layout_rows = [[2, 2]", "must be rows of 2, 7, 7, 6, 6 spaces, with each"),
        ('name = "Farm (cloth)"', 'name = "Quarry"', "building 12, name is 'Quarry' and must be another one than"),
        ("cost = { wood = 1, food = 1 }", "cost = { food = 1 }", "building 10, cost is {'food': 1} and must be at"),
        ("cost = { wood = 1, food = 1 }", "cost = { wood = 1, iron = 1 }", "building 10, cost, iron is 'iron' and"),
        ("options = [{ food = 1 }, { cloth", "options = [{ food = 1 }, { food = 2, cloth", "of one kind each, all"),
        ("{ pay_any = 1, gain_deniers = 4 }", "{ gain_deniers = 4 }", "each must be one thing to pay and one to gain"),
        ("owner_bonus = [{ food", "owner_bonus = [{ gold", "owner_bonus is [{'gold': 1}, {'cloth': 1}] and must be"),
        ("pp = 2\nincome = 1", "pp = 3\nincome = 1", "building 36, pp is 3 and must be 2"),
    ],
}


@pytest.mark.parametrize(
    ("game", "old", "new", "sentence"), [(game, *case) for game in MISTAKES for case in MISTAKES[game]]
)
def test_an_invalid_correction_is_refused_with_its_place(mine, game, old, new, sentence):
    (mine / f"{game}.toml").write_text(edited(game, (old, new)), "utf-8")
    with pytest.raises(SetupError) as refused:
        read(game)
    assert str(refused.value).startswith(f"The component file {mine / game}.toml cannot be used: ")
    assert sentence in str(refused.value)


# --- what owners may correct ----------------------------------------------------------------------------

CORRECTIONS = {
    "alhambra": [("price = 7", "price = 9"), ("round3 = [16,", "round3 = [15,"), ('colour = "blue"', 'colour = "red"')],
    "alpujarras": [
        ("numbers = [2, 2, 3, 4, 5]", "numbers = [2, 3, 3, 4, 5]"),
        ("two_three_player_numbers = [2, 3, 4, 5]", "two_three_player_numbers = [3, 3, 4, 5]"),
        ("spots = [\n  [],", 'spots = [\n  [],\n  [{ a = "goal" }],'),
        ("faces = [1, 2, 3, 4, 5, 6]", "faces = [1, 2, 3, 4, 5, 5]"),
        ('status = "reconstructed"', 'status = "printed"'),
    ],
    "caylus": [
        ("pp = 4                                  # 3 in later", "pp = 3  # 3 in later"),  # the Lawyer
        ("options = [{ food = 1 }, { cloth = 1 }]", "options = [{ food = 1 }, { cloth = 2 }]"),
        ("gain_pp = 4 }, { pay_cubes", "gain_pp = 2 }, { pay_cubes"),
        ("layout_rows = [[2, 1]", "layout_rows = [[1, 2]"),
    ],
    "orchard": [
        ("ladder = [1, 3, 6, 10]", "ladder = [1, 4, 6, 10]"),
        ('["LP", "AL", "PA"]', '["PA", "AL", "LP"]'),
        ("[9,10]", "[10,9]"),
        ('name = "Pal-tree"', 'name = "Palm-tree"'),
    ],
    "oregon": [
        ("points = 3", "points = 2"),
        ("group_points = 5", "group_points = 4"),
        ("{ 1 = 7, 2 = 7,", "{ 1 = 8, 2 = 6,"),
        ('"^^........^.=.."', '"^^........^^=.."'),
        ("lakes = 2 ", "lakes = 2  "),
    ],
}
PLAYS = """
import random, sys
import almunia
game = almunia.game(sys.argv[1], "plain")
for seats in game.meta.seats:
    play, generator = game.new(seats=seats, seed=seats), random.Random(seats)
    for number in range(10_000):
        if play.over:
            break
        if number % 50 == 0:
            seen = play.observe(play.turn)
            seen.tensor(), seen.board(), [play.action_to_string(action) for action in play.legal_actions], seen.svg()
        play.apply(generator.choice(play.legal_actions))
    assert play.outcome, f"no end with {seats} seats"
print(game.components_hash)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [pytest.param(name, marks=[] if name == "alpujarras" else pytest.mark.exhaustive) for name in GAMES]
)
def test_corrected_data_can_be_played(mine, game):
    """With other data the game has another hash, which records contain."""
    (mine / f"{game}.toml").write_text(edited(game, *CORRECTIONS[game]), "utf-8")
    command = [sys.executable, "-c", PLAYS, game]
    done = subprocess.run(command, env={**os.environ}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() != almunia.game(game, "plain").components_hash


@pytest.mark.parametrize("game", GAMES)
def test_corrections_are_taken(mine, game):
    (mine / f"{game}.toml").write_text(edited(game, *CORRECTIONS[game]), "utf-8")
    assert read(game) != module_of(game).DATA


# --- how schemas are written -----------------------------------------------------------------------------


class Branch(Whole):
    """A row in which all keys may change."""

    name: Name
    near: str = ""


class Trunk(Partial):
    """A table in which some keys may change."""

    heights: Annotated[list[Annotated[int, between(1, 9)]], rows(1, 3), RISING]
    rings: Annotated[list[int], FALLING, UNIQUE] | None = None


class Tables(Corrections):
    remarks = ("note",)
    trunk: Trunk
    branch: Annotated[list[Branch], rows(1, 2)]

    def contradictions(self, data, shipped):
        yield from repeats(data, ("branch", "name"), ("branch", "near"))


TREE = {
    "trunk": {"kind": "oak", "heights": [1, 2], "notes": 1},
    "branch": [{"name": "low", "near": "ground"}],
    "leaf": [{"note": "", "size": 1}, {"size": 2}],
}


@pytest.mark.parametrize(
    ("change", "sentences"),
    [
        ({}, []),
        ({"trunk": {"kind": "oak", "heights": [3]}, "leaf": [{"size": 1}, {"note": 0, "size": 2}]}, []),
        ({"branch": [{"name": "high"}]}, []),
        ({"trunk": {"kind": "elm", "heights": [2]}}, ["trunk, kind is 'elm' and must be 'oak'"]),
        ({"trunk": {"heights": [2]}}, ["trunk lacks 'kind'"]),
        ({"trunk": {"kind": "oak"}}, ["trunk lacks 'heights'"]),
        ({"trunk": 4}, ["trunk is 4 and must be a table"]),
        ({"trunk": {"kind": "oak", "heights": [0, 1]}}, ["trunk, heights 1 is 0 and must be from 1 to 9"]),
        ({"trunk": {"kind": "oak", "heights": []}}, ["trunk, heights is [] and must have from 1 to 3 rows"]),
        ({"trunk": {"kind": "oak", "heights": [2, 2]}}, ["trunk, heights is [2, 2] and must rise from each number to"]),
        ({"trunk": {"kind": "oak", "heights": [1], "rings": []}}, ["trunk has 'rings', which is not known here"]),
        ({"leaf": [{"size": 1}]}, ["leaf has 1 rows and must have 2"]),
        ({"leaf": [{"size": True}, {"size": 2}]}, ["leaf 1, size is True and must be 1"]),
        ({"root": 1}, ["the file has 'root', which is not known here"]),
        ({"branch": [{"name": "", "x": 1}]}, ["branch 1, name is '' and must be words", "branch 1 has 'x', which is"]),
        (
            {"branch": [{"name": "A"}, {"name": "a"}]},
            ["branch 2, name is 'a' and must be another one than branch 1, name"],
        ),
    ],
)
def test_corrections_outside_the_schema_are_refused(change, sentences):
    found = list(Tables.faults({**TREE, **change}, TREE))
    assert len(found) == len(sentences), found
    assert all(part in said for part, said in zip(sentences, found, strict=True)), found
