"""How pages, sentences and guides speak: phrases in which native readers stumbled do not come back."""

import re
from pathlib import Path

HOME = Path(__file__).parents[1]
PACKAGE = HOME / "src" / "almunia"
READ = [
    *PACKAGE.glob("server/web/templates/*.html"),
    *PACKAGE.glob("server/web/static/*.js"),
    *PACKAGE.glob("server/*.py"),
    *(path for path in PACKAGE.glob("*/**/*.py") if "tests" not in path.parts),
    *(path for path in HOME.glob("docs/*.md") if path.name != "results.md"),
    *HOME.glob("docs/dev/*.md"),
    *HOME.glob("[A-Z]*.md"),
    HOME / "Makefile",
]
REFUSED = {
    "to be mended": "please correct",
    "best of people": "best human score",
    "as you like it": "custom",
    "as the system likes it": "system theme",
    "sit at no table": "have no games",
    "shall call you": "your name",
    "not for you, or not now": "not allowed",
    "there is nothing here": "page not found",
    "that is too much": "too large",
    "a little slower": "too many requests",
    "line to the table": "connection",
    "somebody alone": "one player",
    "at the same screen": "on the same device",
    "walled garden": "lock-in is not what we mean",
    "the own ": "your own, the reader's own",
    "by lot": "at random",
    "settles all luck": "makes it reproducible",
    "parted by blanks": "separated by spaces",
    "with a word in the log": "logs a warning",
    "what is no action": "an invalid action",
    "there is none of": "that does not exist",
    "points of chess": "Elo scale",
    "more is better": "higher is better",
    "lays open": "reveals",
    "mends": "fixes",
}


def test_refused_phrases_are_not_used() -> None:
    wanted = re.compile(rf"(?<![\w'])({'|'.join(map(re.escape, REFUSED))})", re.IGNORECASE)
    found = []
    for path in sorted(set(READ)):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for phrase in wanted.findall(line):
                found.append(f"{path.relative_to(HOME)}, line {number}: {phrase!r}; say {REFUSED[phrase.lower()]!r}")
    assert not found


GAMES = PACKAGE / "games"
GUIDES = ("accounts", "api-http", "bots", "commands", "host", "mcp", "play", "tutorial")
FOR_PLAYERS = [
    *(path for name in ("RULES.md", "lesson.toml", "text/*.py", "view/*.py") for path in GAMES.glob(f"*/{name}")),
    *(HOME / "docs" / f"{name}.md" for name in GUIDES),
    HOME / "README.md",
]
STATUTE = {
    "whoever": "if you",
    "somebody": "a player",
    "nobody": "no player",
    "anybody": "any player",
    "everybody": "all players",
    "anew": "again",
    "upon": "on",
    "of its own": "different, separate",
    "of their own": "their own",
}


def test_rules_lessons_words_of_games_and_guides_speak_to_the_player() -> None:
    wanted = re.compile(rf"(?<!\")\b({'|'.join(STATUTE)})\b", re.IGNORECASE)  # quoted words are values
    assert len(FOR_PLAYERS) > 10
    found = []
    for path in sorted(FOR_PLAYERS):
        for phrase in wanted.findall(" ".join(path.read_text("utf-8").split())):
            found.append(f"{path.relative_to(HOME)}: {phrase!r}; say {STATUTE[phrase.lower()]!r}")
    assert not found
