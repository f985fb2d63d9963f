"""Component data: the game's own, or that of somebody who owns the box."""

import pytest

from almunia.core import box
from almunia.errors import SetupError


@pytest.fixture
def components(tmp_path, monkeypatch):
    """A game's folder with data, and a folder for corrections."""
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "components.toml").write_text("[cards]\nhighest = 5\n")
    (tmp_path / "mine").mkdir()
    monkeypatch.delenv(box.FOLDER, raising=False)
    return str(tmp_path / "toy" / "components.py")


def faults(data):
    if data["cards"]["highest"] < 3:
        yield f"{data['cards']['highest']} cards are too few"


def test_the_games_own_data_is_read(components):
    assert box.read(components, faults) == {"cards": {"highest": 5}}


def test_corrected_data_takes_its_place(components, tmp_path, monkeypatch):
    monkeypatch.setenv(box.FOLDER, str(tmp_path / "mine"))
    assert box.read(components, faults)["cards"]["highest"] == 5
    assert not box.corrected("games.toy")
    (tmp_path / "mine" / "toy.toml").write_text("[cards]\nhighest = 7\n")
    assert box.read(components, faults)["cards"]["highest"] == 7
    assert box.corrected("games.toy")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[cards]\nhighest = 2\n", r"toy.toml cannot be used: 2 cards are too few\."),
        ("[cards]\n", "missing or of the wrong kind .*highest"),
        ("[cards\n", "cannot be read"),
    ],
)
def test_data_that_cannot_be_is_refused(components, tmp_path, monkeypatch, text, reason):
    monkeypatch.setenv(box.FOLDER, str(tmp_path / "mine"))
    (tmp_path / "mine" / "toy.toml").write_text(text)
    with pytest.raises(SetupError, match=reason):
        box.read(components, faults)


def test_a_folder_that_is_not_there_is_refused(components, tmp_path, monkeypatch):
    monkeypatch.setenv(box.FOLDER, str(tmp_path / "nowhere"))
    with pytest.raises(SetupError, match=r"names .*nowhere, which is no folder"):
        box.read(components, faults)
