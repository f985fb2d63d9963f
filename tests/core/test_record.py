"""Records: text that people can read, and error messages for damaged and foreign texts."""

import json
from dataclasses import replace
from time import process_time

import pytest

import almunia
from almunia import Record, RecordError
from almunia.play.play import fold_case

ORCHARD = almunia.game("orchard", "plain")


@pytest.fixture(scope="module")
def record() -> Record:
    play = ORCHARD.new(seed=7, deal="6 14 16 18 1 2 3 4 5")
    for words in ("place 14 at 1,1 turned 270", "place 16 at 2,0 turned 270"):
        play.apply(play.string_to_action(words))
    while not play.over:
        play.apply(play.legal_actions[0])
    return play.record(["Zoë: the second"])


def test_the_text_of_a_record_has_one_line_per_action(record):
    lines = str(record).splitlines()
    assert lines[0] == "Almunia record 2"
    assert "game: orchard" in lines
    assert "option deal: 6 14 16 18 1 2 3 4 5" in lines
    assert "player 1: Zoë: the second" in lines
    assert "1. (seat 1) place 14 at 1,1 turned 270" in lines
    assert lines[-1].startswith("8. (seat 1) place")


def test_text_and_json_are_parsed_and_replayed(record):
    assert Record.parse(str(record)) == record
    assert Record.parse("\ufeff" + str(record).replace("\n", "\r\n")) == record
    assert Record.from_json(record.to_json()) == record
    assert almunia.replay(record, build="plain").outcome.scores == record.result
    assert len(almunia.replay(record, 3, build="plain").actions) == 3
    negative = replace(record, result=(-3,))
    assert Record.parse(str(negative)) == Record.from_json(negative.to_json()) == negative
    timed = replace(record, seconds=(0.0, 12.5, 604800.1, *[1.0] * 5))
    assert Record.parse(str(timed)) == Record.from_json(timed.to_json()) == timed
    assert almunia.replay(timed, build="plain").outcome.scores == record.result
    with pytest.raises(RecordError, match="7 times for 8 actions"):
        Record.parse(str(timed).replace(", 12.5 s", ""))


QUOTED = "Hi Zoë,\n\nhere it is:\n> > {}\n-- \nAnn\n"
WAYS = {
    "written": lambda text: text,
    "Windows": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "old Macs": lambda text: text.replace("\n", "\r"),
    "trailing blanks": lambda text: text.replace("\n", " \t\u00a0\n"),
    "blank lines": lambda text: "\n \n" + text.replace("\n", "\n\n"),
    "indented": lambda text: text.replace("\n", "\n\u2003\t").replace("Almunia", "  Almunia"),
    "Unicode blanks": lambda text: text.replace(" ", "\u00a0").replace("\n", "\u2028"),
    "two blanks": lambda text: text.replace(" ", "  ").replace("Zoë:  the  second", "Zoë: the second"),
    "quoted in a mail": lambda text: QUOTED.format(text.strip().replace("\n", "\n> > ")),
    "quoted in HTML": lambda text: text.replace("\n", "\n&gt;&nbsp;"),
    "Markdown": lambda text: f"```text\n{text}```\n",
    "BBCode": lambda text: f"[quote=Ann]\n[code]{text.strip()}[/code] [/quote]\n",
    "MediaWiki": lambda text: f"<pre>{text.strip()}</pre>",
    "Jira": lambda text: "{code:title}\n" + text + "{code}\n",
    "Trac": lambda text: "{{{\n" + text + "}}}\n",
    "word processor": lambda text: text.replace("place 1", "\u200bplace\u00a01").replace("-", "\u2212"),
    "capitals": lambda text: text.replace("place", "PLACE"),
}


@pytest.mark.parametrize("mark", ["```", "[/a]", "\u0315\u0300"], ids=["fences", "closing tags", "accents"])
def test_a_hostile_text_is_refused_at_once(mark):
    """The time of these texts once grew with the square of their length."""
    start = process_time()
    with pytest.raises(RecordError):
        Record.read(f"Almunia record 2\nx{mark * (64_000 // len(mark.encode()))}")
    assert process_time() - start < 0.5


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_record_is_read_as_mails_and_forums_change_it(record, way):
    came = Record.read(way(str(record)))
    assert replace(came, actions=()) == replace(record, actions=())
    assert almunia.replay(came, build="plain").actions == almunia.replay(record, build="plain").actions


@pytest.mark.parametrize("name", ["written", "Windows", "trailing blanks", "quoted in HTML", "Markdown", "BBCode"])
def test_json_is_read_as_mails_and_forums_change_it(record, name):
    pretty = json.dumps(json.loads(record.to_json()), ensure_ascii=False, indent=1)
    assert Record.read(WAYS[name](pretty)) == record
    assert Record.read(WAYS[name](record.to_json())) == record


def test_names_of_players_stay_as_they_are(record):
    """A name may have typographic quotes, entities, and joiners that combine characters."""
    named = replace(record, players=("“Ann” &amp; \N{WOMAN}\u200d\N{PERSONAL COMPUTER} \u2013 [b]",))
    assert Record.parse(str(named)) == named == Record.from_json(named.to_json())


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("The King\u2019s  Favour \u2013 2", "the king's favour - 2"),
        ("„so“ «so» &quot;so&quot;", '"so" "so" "so"'),
        ("Gema\u0308cher", "gemächer"),
        ("the`king&#39;s \u200bjoust", "the'king's joust"),
        ("R&D", "r&d"),
    ],
)
def test_letters_that_look_alike_are_folded(typed, words):
    assert fold_case(typed) == words


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Almunia record 2", "Elmunia record 2", "line 1 is 'Elmunia record 2', not 'Almunia record 2'"),
        ("Almunia record 2", "\nAlmunia record 1", "Line 2 says 'Almunia record 1'; this Almunia reads version 2 only"),
        ("game: orchard\n", "", "does not say: game"),
        ("game: orchard", "colour: red", "Line 2 is nothing that records say: 'colour: red'"),
        ("rules: 1", "rules: one", "Line 3 has 'one' for rules, which is no whole number from 0 on"),
        ("seats: 1", "seed: 3", "says 'seed' a second time"),
        ("player 1", "player 7", "nothing that records say"),
        ("2. (seat 1)", "3. (seat 1)", "is action 3, but action 2 is due"),
        ("2. (seat 1) place", "two place", "is neither"),
        ("2. (seat 1)", "2. (seat 0)", "seats count from 1, so there is no seat 0"),
    ],
)
def test_a_damaged_text_is_refused_with_its_line(record, old, new, reason):
    assert old in str(record)
    with pytest.raises(RecordError, match=reason.replace("(", r"\(")):
        Record.parse(str(record).replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("rules: 1", "rules: 9", "played under rules 9 of Orchard; the installed rules are 1"),
        ("components: ", "components: f", "component tables f"),
        ("(seat 1) place 14", "(seat 2) place 14", "Action 1 .*it is seat 1's turn, not seat 2's"),
        ("place 14 at 1,1", "place 14 at 9,9", "Action 1 .*cannot be played: .*not possible here"),
        ("result: ", "result: 9", "says the result is"),
    ],
)
def test_a_record_that_cannot_be_replayed_is_refused_with_a_reason(record, old, new, reason):
    assert old in str(record)
    with pytest.raises(RecordError, match=reason):
        almunia.replay(Record.parse(str(record).replace(old, new)), build="plain")


def test_an_action_after_the_end_is_refused():
    play = almunia.game("orchard", "plain").new(2, seed=1)
    while not play.over:
        play.apply(play.legal_actions[0])
    for seat in range(2):
        text = f"{play.record()}{len(play.actions) + 1}. (seat {seat + 1}) place 14 at 1,1\n"
        with pytest.raises(RecordError, match="not possible here, for the game is over"):
            almunia.replay(Record.parse(text), build="plain")


@pytest.mark.parametrize("stop", [-1, 1000, 1.0])
def test_a_replay_stops_within_the_record(record, stop):
    with pytest.raises(almunia.SetupError, match=f"The number of actions .* from 0 to {len(record.actions)}, not"):
        almunia.replay(record, stop, build="plain")


def test_a_record_of_an_unknown_game_or_option_is_refused(record):
    with pytest.raises(almunia.SetupError, match="no game called 'kale'"):
        almunia.replay(Record.parse(str(record).replace("game: orchard", "game: kale")))
    for name in ("seats", "seed", "self"):
        with pytest.raises(almunia.SetupError, match=f"no option '{name}'"):
            almunia.replay(Record.parse(str(record).replace("option deal", f"option {name}")), build="plain")
    with pytest.raises(almunia.SetupError, match="no option 'wind'"):
        almunia.replay(Record.parse(str(record).replace("option deal", "option wind")), build="plain")


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', '{"format": "Almunia record", "version": 7}'])
def test_json_of_another_kind_is_refused(text):
    with pytest.raises(RecordError):
        Record.from_json(text)


def test_json_with_missing_or_wrong_values_is_refused(record):
    facts = json.loads(record.to_json())
    for change, reason in (
        ({"seats": None}, "wrong kind"),
        ({"actions": [1]}, "wrong kind"),
        ({"seats": 1.9}, "1.9 is no whole number"),
        ({"game": None}, "None is no text"),
        ({"seed": -1}, "-1 is no whole number"),
        ({"options": []}, "wrong kind"),
        ({"players": "Ann"}, "'Ann' is no list"),
        ({"result": "12"}, "'12' is no list"),
        ({"hints": "12"}, "'12' is no list"),
        ({"seconds": [1.5]}, "1 times for 8 actions"),
        ({"seconds": [-1.5] * 8}, "-1.5 is no number of seconds"),
        ({"actions": ["1x"]}, "'1x' is no list"),
        ({"actions": {"1x": 1}}, "is no list"),
        ({"colour": "red", "names": []}, "Records do not say: colour, names"),
    ):
        with pytest.raises(RecordError, match=reason):
            Record.from_json(json.dumps(facts | change))


def test_a_number_with_thousands_of_digits_is_refused(record):
    with pytest.raises(RecordError, match="neither"):
        Record.parse(str(record).replace("1. (seat 1)", "1" * 5000 + ". (seat 1)"))
    with pytest.raises(RecordError, match="for seed, which is no whole number from 0 on"):
        Record.parse(str(record).replace("seed: 7", "seed: " + "7" * 5000))


def test_a_play_changed_by_hand_has_no_record():
    play = ORCHARD.new(seed=1)
    play.state.seat[0].rotten = 1
    with pytest.raises(RecordError, match="changed directly"):
        play.record()


def test_a_play_without_a_seed_has_no_record():
    with pytest.raises(RecordError, match="not started from a seed"):
        ORCHARD.new(seed=1).observe(0).determinize(1).record()
