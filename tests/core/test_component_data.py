"""Component data: the game's own, or that of somebody who owns the box."""

import pytest

import almunia
from almunia import catalog
from almunia.core import component_data
from almunia.errors import SetupError


@pytest.fixture
def components(tmp_path, monkeypatch):
    """A game's folder with data, and a folder for corrections."""
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "components.toml").write_text("[cards]\nhighest = 5\n")
    (tmp_path / "mine").mkdir()
    monkeypatch.delenv(component_data.FOLDER, raising=False)
    return str(tmp_path / "toy" / "components.py")


def faults(data):
    if data["cards"]["highest"] < 3:
        yield f"{data['cards']['highest']} cards are too few"


def test_the_games_own_data_is_read(components):
    assert component_data.read(components, faults) == {"cards": {"highest": 5}}


def test_corrected_data_takes_its_place(components, tmp_path, monkeypatch):
    monkeypatch.setenv(component_data.FOLDER, str(tmp_path / "mine"))
    assert component_data.read(components, faults)["cards"]["highest"] == 5
    assert not component_data.corrected("games.toy")
    (tmp_path / "mine" / "toy.toml").write_text("[cards]\nhighest = 7\n")
    assert component_data.read(components, faults)["cards"]["highest"] == 7
    assert component_data.corrected("games.toy")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_data_is_read_as_editors_save_it(components, tmp_path, monkeypatch, encoding):
    monkeypatch.setenv(component_data.FOLDER, str(tmp_path / "mine"))
    (tmp_path / "mine" / "toy.toml").write_bytes("# Gemächer\r\n[cards]\r\nhighest = 7\r\n".encode(encoding))
    assert component_data.read(components, faults)["cards"]["highest"] == 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[cards]\nhighest = 2\n", r"toy.toml cannot be used: 2 cards are too few\."),
        ("[cards]\n", "cards lacks 'highest'"),
        ("[cards]\nhighest = 'x'\n", "cards, highest is 'x' and must be a whole number"),
        ("[cards]\nhighest = 4.0\n", "cards, highest is 4.0 and must be a whole number"),
        ("[cards]\nhighest = true\n", "cards, highest is True and must be a whole number"),
        ("[cards]\nhighest = -1\n", "cards, highest is -1 and must be from 0 to 10"),
        (f"[cards]\nhighest = {2**70}\n", "cards, highest is 1180591620717411303424 and must be from 0 to 10"),
        ("[cards]\nhighest = 4\nhihgest = 5\n", "cards has 'hihgest', which is not known"),
        ("cards = 4\n", "cards is 4 and must be a table"),
        ("x = " + "[" * 5000, "is nested too deeply"),
        ("#" * 300_000, "has 300000 bytes, and such a file has at most 262144"),
        ("[cards\n", "cannot be read"),
    ],
)
def test_data_that_cannot_be_is_refused(components, tmp_path, monkeypatch, text, reason):
    monkeypatch.setenv(component_data.FOLDER, str(tmp_path / "mine"))
    (tmp_path / "mine" / "toy.toml").write_text(text)
    with pytest.raises(SetupError, match=reason):
        component_data.read(components, faults)


def test_a_folder_that_is_not_there_is_refused(components, tmp_path, monkeypatch):
    monkeypatch.setenv(component_data.FOLDER, str(tmp_path / "nowhere"))
    with pytest.raises(SetupError, match=r"names .*nowhere, which is no folder"):
        component_data.read(components, faults)


def scalars(value, path=()):
    """The way to every single value in component data."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from scalars(part, (*path, key))
    else:
        yield path


def damaged(data, path, value):
    """The data with another value in one place."""
    if not path:
        return value
    changed = data.copy()
    changed[path[0]] = damaged(data[path[0]], path[1:], value)
    return changed


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name == "oregon" else pytest.mark.exhaustive) for name in catalog.packages()],
)
def test_damaged_data_of_a_game_is_told_in_a_sentence(name):
    """Every single value of every table, replaced by what it can never be: another thing in each."""
    data = almunia.game(name, "plain")._module("components").DATA
    assert list(component_data.unlike([data], data, "")) == []
    for number, path in enumerate(scalars(data)):
        value = (2**70, [], {}, [[1]], -(10**9), None)[number % 6]
        own = {path[0]: data[path[0]]}  # the table alone: all of them take seconds
        (sentence,) = component_data.unlike([own], damaged(own, path, value), "")
        assert str(path[0]) in sentence
        assert " and must be " in sentence


@pytest.mark.parametrize("price", [-1, 1.5, "x", True, 100, 2**70])
def test_the_table_and_row_of_what_cannot_be_are_named(price):
    own = almunia.game("alhambra", "plain")._module("components").DATA
    (sentence,) = component_data.unlike([own], damaged(own, ("tile", 4, "price"), price), "")
    assert sentence.startswith(f"tile 5, price is {price!r} and must be ")


def test_what_the_games_own_check_refuses_is_told_in_its_words(components, tmp_path, monkeypatch):
    """A SetupError is a ValueError, too, but no sign of a value that is missing."""

    def refuses(data):
        raise SetupError("The cards are too few.")

    monkeypatch.setenv(component_data.FOLDER, str(tmp_path / "mine"))
    (tmp_path / "mine" / "toy.toml").write_text("[cards]\nhighest = 7\n")
    with pytest.raises(SetupError, match=r"^The cards are too few\.$"):
        component_data.read(components, refuses)
