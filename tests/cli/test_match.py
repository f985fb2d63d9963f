"""`almunia match`, as typed."""

import json

MATCH = ("match", "orchard", "--seats", "2", "--bot", "greedy", "--against", "random", "--deals", "2", "--threads", "1")


def test_what_a_folder_keeps_is_summed_up_without_a_new_play(almunia):
    played = json.loads(almunia(*MATCH, "--folder", "kept", "--json").out)
    more = (*MATCH[:9], "50", *MATCH[10:])
    kept = json.loads(almunia(*more, "--folder", "kept", "--minutes", 0, "--json").out)
    assert kept == played
    assert played["plays"] == 4


def test_a_match_without_a_play_says_so(almunia):
    done = almunia(*MATCH, "--minutes", 0)
    assert done.code == 2
    assert "Nothing has been played" in done.err


def test_minutes_are_a_number(almunia):
    done = almunia(*MATCH, "--minutes", "soon")
    assert done.code == 2
    assert "'soon' is not a number of minutes, 0 or more" in done.err
