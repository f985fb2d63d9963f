"""The folder of a match or a trace: the configurations with which it opens again."""

from pathlib import Path

import pytest

from almunia.arena.folder import ResultFolder
from almunia.errors import SetupError

CONFIG = {"game": "orchard", "bot_code": "a hash", "options": {"edition": "2019"}, "seats_by_bot": (1, 2)}


def folder_at(path: Path) -> ResultFolder:
    """Return the folder of a match."""
    return ResultFolder(path, "match", "match.json")


@pytest.fixture
def folder(tmp_path) -> ResultFolder:
    """A folder with a configuration."""
    folder = folder_at(tmp_path / "in" / "match")
    folder.open(CONFIG)
    return folder


def test_the_same_configuration_is_accepted_again(folder) -> None:
    before = folder.config_file.read_bytes()
    folder_at(folder.path).open(CONFIG)
    assert folder.read_config() == CONFIG | {"seats_by_bot": [1, 2]}
    assert folder.config_file.read_bytes() == before
    assert [path.name for path in folder.path.iterdir()] == ["match.json"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "oregon"}, "has game 'orchard', not 'oregon': resume it with the same"),
        ({"seats_by_bot": (2, 1)}, r"has seats by bot \[1, 2\], not \[2, 1\]"),
        ({"new": 1}, "has new None, not 1"),
        ({"bot_code": "another"}, "The bots have changed since the match"),
    ],
)
def test_another_configuration_is_refused_and_not_written(folder, change, sentence) -> None:
    with pytest.raises(SetupError, match=sentence):
        folder.open(CONFIG | change)
    folder.open(CONFIG)


def test_a_configuration_without_its_last_line_is_damaged(folder) -> None:
    lines = folder.config_file.read_text("utf-8").splitlines()
    for text in ("\n".join(lines[:-1]), "\n".join(lines[1:]), "", "[]", "[" * 100_000):
        folder.config_file.write_text(text, "utf-8")
        with pytest.raises(SetupError, match=r"match\.json is damaged or of another version .* Name another folder\."):
            folder.open(CONFIG)
        assert folder.config_file.read_text("utf-8") == text


def test_drafts_of_the_configuration_are_ignored_and_other_files_refused(tmp_path) -> None:
    (tmp_path / ".match.json.x1y2").write_text("{")
    folder_at(tmp_path).open(CONFIG)
    folder_at(tmp_path).config_file.unlink()
    (tmp_path / "letter.txt").write_text("Dear")
    with pytest.raises(SetupError, match="is there already, and it is no match"):
        folder_at(tmp_path).open(CONFIG)
    with pytest.raises(SetupError, match="There is no match in"):
        folder_at(tmp_path).read_config()
    with pytest.raises(SetupError, match="There is no match in"):
        folder_at(tmp_path / "letter.txt").read_config()
    with pytest.raises(SetupError, match="is there already"):
        folder_at(tmp_path / "letter.txt").open(CONFIG)
    with pytest.raises(SetupError, match="cannot be made"):
        folder_at(tmp_path / "letter.txt" / "match").open(CONFIG)


def test_an_unreadable_part_is_named(folder) -> None:
    part = folder.path / "part"
    assert folder.read_part(lambda path: path.name, part / "file", part) == "file"
    for error in (OSError("gone"), ValueError("cut off"), EOFError("empty")):

        def fail(_path: Path, error: Exception = error) -> None:
            raise error

        with pytest.raises(SetupError, match=rf"file cannot be read \({error}\). If it is damaged, remove .*part: "):
            folder.read_part(fail, part / "file", part)
