"""Specs, also with former names of settings."""

import pytest

from almunia.bots import parse_spec
from almunia.bots.search.settings import SEARCH_RANGES, TURN_RANGES
from almunia.bots.spec import FORMER_NAMES
from almunia.errors import SetupError


@pytest.mark.parametrize(
    ("former", "spec"),
    [
        ("greedy,slips=0.25", "greedy,epsilon=0.25"),
        ("turn,width=32,guesses=3", "turn,beam_width=32,determinizations=3"),
        ("search:1s,explore=0.2,spread=9,narrow=2", "search:1s,exploration=0.2,lead_scale=9,initial_width=2"),
        ("search:1s,widen=1,trust=3", "search:1s,widening_rate=1,prior_visits=3"),
        ("search:1s,ahead=4,rounds=1,tries=5", "search:1s,rollout_decisions=4,rollout_rounds=1,rollout_candidates=5"),
        ("search:1s,beam=6", "search:1s,beam_width=6"),
    ],
)
def test_specs_with_former_names_of_settings_are_still_read(former, spec):
    assert parse_spec(former) == parse_spec(spec)


def test_former_names_refer_to_existing_settings():
    never_renamed = {"candidates", "result_weight", "c_puct", "batch_size", "virtual_loss"}
    assert set(FORMER_NAMES.values()) == {*SEARCH_RANGES, *TURN_RANGES, "epsilon"} - never_renamed


def test_a_setting_given_twice_is_refused():
    with pytest.raises(SetupError, match="sets exploration twice"):
        parse_spec("search:1s,explore=0.1,exploration=0.2")
    with pytest.raises(SetupError, match="'search' has no setting 'slips'"):
        parse_spec("search:1s,slips=0.1")
