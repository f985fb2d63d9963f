"""Alpujarras' component data: what a corrected file may say, and what is refused in a sentence."""

from copy import deepcopy

import pytest

from almunia.core.box import shown
from almunia.games.alpujarras import components as box


def cut_off():
    """The channel spaces, two of which are joined to each other alone."""
    spaces = deepcopy(box.DATA["channel_space"])
    spaces[0]["adjacent"], spaces[1]["adjacent"] = ["start1"], ["c1o"]
    return spaces


def no_apple_up():
    """The delivery cards, all apples with an arrow down."""
    return [
        {**card, "back_arrow": "down" if card["back_fruit"] == "apple" else card["back_arrow"]}
        for card in box.DATA["delivery_card"]
    ]


def changed(path, value):
    """The data with one value changed, or left out if it is None."""
    data = deepcopy(box.DATA)
    *way, last = path.split(".")
    table = data
    for key in way:
        table = table[int(key) if isinstance(table, list) else key]
    last = int(last) if isinstance(table, list) else last
    if value is None:
        del table[last]
    else:
        table[last] = value
    return data


FAULTS = [
    ("players", [1, 2], "players is [1, 2] and must be [2, 3, 4]"),
    ("counts.farmers_per_player", 8, "counts, farmers_per_player is 8 and must be 15"),
    ("counts.goal_tokens", 0, "counts, goal_tokens is 0 and must be 10"),
    ("limits.max_norias", 6, "limits, max_norias is 6 and must be 5"),
    ("setup.fruit_per_field.4", 9, "setup, fruit_per_field is {'2': 2, '3': 2, '4': 9} and must be"),
    ("setup.zara.2", False, "setup, zara is {'2': False, '3': False, '4': False} and must be"),
    ("noria_spending.1", [{"a": "dance"}], "noria_spending, 1 is [{'a': 'dance'}] and must be [{'a': 'swap_fruit'}]"),
    ("delivery_tokens.reward_minus_number", 0, "delivery_tokens, reward_minus_number is 0 and must be 1"),
    ("die.faces", [], "die, faces is [] and must have 6 rows"),
    ("die.faces.0", 0, "die, faces 1 is 0 and must be from 1 to 6"),
    ("setup.segment_order", ["go", "end"], "setup, segment_order is ['go', 'end'] and must have 10 rows"),
    ("setup.segment_order.1", "ferry", "setup, segment_order 2 is 'ferry' and must be one of go, market, harvest, end"),
    ("setup.segment_order.0", "harvest", "and must run from go to end"),
    ("setup.segment_order.1", "harvest", "no kind twice in a row"),
    ("farmland.4", None, "and must have 5 rows"),
    ("farmland.0.id", "x", "farmland 1, new_fields is ['orange:inner', 'orange:outer'] and must begin with x:"),
    ("farmland.0.id", "red", "farmland 4, id is 'red' and must be another one than farmland 1, id"),
    ("farmland.0.color", "pink", "farmland 1, color is 'pink' and must be one of orange, yellow, green, red, purple"),
    ("farmland.0.color", "red", "farmland 4, color is 'red' and must be another one than farmland 1, color"),
    (
        "farmland.0.primary",
        "kiwi",
        "farmland 1, primary is 'kiwi' and must be one of orange, lemon, apple, cherry, grape",
    ),
    ("farmland.0.primary", "lemon", "farmland 2, primary is 'lemon' and must be another one than farmland 1, primary"),
    ("farmland.1.fields", ["orange"], "farmland 2, fields is ['orange'] and must have lemon, the primary fruit"),
    (
        "farmland.1.fields",
        ["lemon"] * 6,
        "farmland 2, fields is ['lemon', 'lemon', 'lemon', 'lemon', 'le... and must have from 1 to 5",
    ),
    ("farmland.1.fields", ["lemon"] * 5, "farmland has 7 fields of lemon, and there is fruit for 6"),
    ("farmland.1.fields.1", "kiwi", "farmland 2, fields 2 is 'kiwi' and must be one of orange"),
    ("farmland.1.new_fields", [], "farmland 2, new_fields is [] and must have 2 rows"),
    ("farmland.1.new_fields.1", "yellow:inner", "farmland 2, new_fields 2 is 'yellow:inner' and must be another one"),
    ("farmland.1.layout_xy", [1], "farmland 2, layout_xy is [1] and must have 2 rows"),
    ("farmland.1.layout_xy.0", 1001, "farmland 2, layout_xy 1 is 1001 and must be from 0 to 1000"),
    ("farmland.1.layout_xy", [500, 230], "farmland 2, layout_xy is [500, 230] and must be another one than farmland 1"),
    ("channel_start", [], "channel_start is [] and must have from 1 to 10 rows"),
    (
        "channel_start.1.id",
        "start1",
        "channel_start 2, id is 'start1' and must be another one than channel_start 1, id",
    ),
    ("channel_start.1.adjacent", [], "channel_start 2, adjacent is [] and must have from 1 to 15 rows"),
    ("channel_start.1.adjacent.0", "x", "channel_start 2, adjacent 1 is 'x' and must be one of c1i, c1s"),
    ("channel_start.1.layout_xy", [1], "channel_start 2, layout_xy is [1] and must have 2 rows"),
    ("channel_start.1.layout_xy.1", 1001, "channel_start 2, layout_xy 2 is 1001 and must be from 0 to 1000"),
    (
        "channel_start.1.layout_xy",
        [500, 230],
        "channel_start 2, layout_xy is [500, 230] and must be another one than farmland 1",
    ),
    ("channel_space.14", None, "and must have 15 rows"),
    (
        "channel_space.1.id",
        "start1",
        "channel_space 2, id is 'start1' and must be another one than channel_start 1, id",
    ),
    ("channel_space.0.shape", "round", "channel_space 1, shape is 'round' and must be one of t, straight"),
    (
        "channel_space.0.shape",
        "straight",
        "channel_space has 9 spaces of shape t and must have 10, one for each crop token",
    ),
    ("channel_space.0.leads_to", None, "channel_space 1 has the shape 't', and t spaces alone must have leads_to"),
    (
        "channel_space.0.leads_to",
        "blue:inner",
        "channel_space 1, leads_to is 'blue:inner' and must be one of orange:inner",
    ),
    ("channel_space.0.leads_to", "orange:outer", "channel_space 3, leads_to is 'orange:outer' and must be another one"),
    ("channel_space.0.adjacent", [], "channel_space 1, adjacent is [] and must have from 1 to 15 rows"),
    (
        "channel_space.0.adjacent.0",
        "start9",
        "channel_space 1, adjacent 1 is 'start9' and must be one of start1, start2",
    ),
    (
        "channel_space.0.adjacent.1",
        "c1i",
        "channel_space 1, adjacent is ['start1', 'c1i'] and must not name the space itself",
    ),
    ("channel_space", cut_off(), "channel_space has c1s, c1o, which water cannot reach by adjacent spaces"),
    ("channel_space.0.icons.noria", 6, "channel_space 1, icons, noria is 6 and must be from 0 to 5"),
    (
        "channel_space.1.layout_xy",
        [576, 395],
        "channel_space 2, layout_xy is [576, 395] and must be another one than channel_space 1",
    ),
    ("channel_space.1.layout_xy", [576], "channel_space 2, layout_xy is [576] and must have 2 rows"),
    ("channel_space.1.layout_xy.0", 1001, "channel_space 2, layout_xy 1 is 1001 and must be from 0 to 1000"),
    ("channel_tokens.t", 9, "channel_tokens, t is 9 and must be 10"),
    ("market_card.bonus", [2, 1, 1, 0], "market_card, bonus is [2, 1, 1, 0] and must have 5 rows"),
    ("market_card.bonus.0", 3, "market_card, bonus is [3, 1, 1, 0, 0] and must be 1 or 2 three times, then 0 twice"),
    ("delivery_tokens.numbers", [2, 3], "delivery_tokens, numbers is [2, 3] and must have 5 rows"),
    ("delivery_tokens.numbers.4", 6, "delivery_tokens, numbers 5 is 6 and must be from 1 to 5"),
    ("delivery_tokens.numbers", [3, 3, 3, 4, 5], "delivery_tokens, numbers is [3, 3, 3, 4, 5] and must have a 2"),
    (
        "delivery_tokens.two_three_player_numbers.0",
        3,
        "two_three_player_numbers is [3, 3, 4, 5] and must be [2, 2, 3, 4, 5] without a 2",
    ),
    ("delivery_card.19", None, "and must have 20 rows"),
    ("delivery_card.1.id", "D01", "delivery_card 2, id is 'D01' and must be another one than delivery_card 1, id"),
    ("delivery_card.1.fruits", [], "delivery_card 2, fruits is [] and must have from 1 to 5 rows"),
    (
        "delivery_card.1.fruits",
        ["apple", "apple"],
        "delivery_card 2, fruits is ['apple', 'apple'] and must have no row twice",
    ),
    ("delivery_card.1.fruits.0", "kiwi", "delivery_card 2, fruits 1 is 'kiwi' and must be one of orange"),
    ("delivery_card.1.value", 0, "delivery_card 2, value is 0 and must be from 1 to 10"),
    ("delivery_card.1.back_fruit", "kiwi", "delivery_card 2, back_fruit is 'kiwi' and must be one of orange"),
    ("delivery_card.1.back_arrow", "left", "delivery_card 2, back_arrow is 'left' and must be one of up, down"),
    ("delivery_card.4.value", 3, "delivery_card must have a card for a lemon and a cherry, worth 2"),
    ("delivery_card", no_apple_up(), "delivery_card must have a card with an apple and an arrow up on its back"),
    ("goal.7", None, "and must have 8 rows"),
    ("goal.1.id", "fruit3", "goal 2, id is 'fruit3' and must be another one than goal 1, id"),
    ("goal.1.name", "Mules", "goal 2, name is 'Mules' and must be one of 3 Different Fruit, 2 Pairs of Fruit"),
    (
        "goal.1.name",
        "3 Different Fruit",
        "goal 2, name is '3 Different Fruit' and must be another one than goal 1, name",
    ),
    ("goal.0.card", 5, "goal 1, card is 5 and must be from 1 to 4"),
    ("goal.0.card", 2, "goal 1, card is 2 and must be 1: two sides of each card, in order"),
    (
        "goal.0.requirement.kind",
        "mules",
        "goal 1, requirement is {'kind': 'mules', 'n': 3} and must be {'kind': 'different_fruit', 'n': 3}",
    ),
    (
        "goal.0.requirement",
        {"kind": "different_fruit"},
        "goal 1, requirement is {'kind': 'different_fruit'} and must be",
    ),
    ("goal.1.rewards", [{"noria": 1}], "goal 2, rewards is [{'noria': 1}] and must have from 2 to 5 rows"),
    ("goal.1.rewards.0", None, "goal 2, rewards has 3 spaces and must have those of goal 1"),
    ("goal.1.rewards.0", {"noria": 1}, "and must be dirhems, and norias on the last space alone"),
    ("goal.1.rewards.0.dirhem", 6, "goal 2, rewards 1, dirhem is 6 and must be from 1 to 5"),
    ("goal.1.rewards.3.noria", 0, "goal 2, rewards 4, noria is 0 and must be from 1 to 5"),
    ("award_token.4", None, "and must have 5 rows"),
    ("award_token.1.id", "a1", "award_token 2, id is 'a1' and must be another one than award_token 1, id"),
    ("award_token.1.green", [], "award_token 2, green is [] and must be 1 to 2 icons"),
    ("award_token.1.green", [{"a": "goal"}], "award_token 2, green: a is 'goal' and must be one of add_farmer"),
    ("award_token.1.red.0.a", "goal", "award_token 2, red: a is 'goal' and must be one of add_farmer"),
    ("award_token.3.green.0.n", 2, "award_token 4, green: n of 'add_farmer' is 2 and must be from 1 to 1"),
    ("award_token.2.green.0.n", 6, "award_token 3, green: n of 'fruit' is 6 and must be from 1 to 5"),
    ("award_token.2.green", [{"a": "fruit"}, {"a": "fruit"}], "and must be different actions"),
    ("award_token.2.green", [{"a": "add_farmer"}, {"a": "add_two_farmers"}], "and must be different actions"),
    ("award_token.0.green", [{"a": "dirhem", "n": 3}], "award_token must have a token for 2 dirhems on its green side"),
    ("segment.9", None, "and must have 10 rows"),
    ("segment.1.id", "go", "segment 2, id is 'go' and must be another one than segment 1, id"),
    ("segment.1.kind", "ferry", "segment 2, kind is 'ferry' and must be one of go, market, harvest, end"),
    ("segment.1.kind", "harvest", "segment has the kinds go, harvest, market"),
    ("segment.1.green.standard", [], "segment 2, green, standard is [] and must have from 1 to 6 rows"),
    ("segment.1.blue.standard.0", [], "segment 2, blue, standard 1 is [] and must be 1 to 2 icons"),
    (
        "segment.1.blue.standard",
        [[{"a": "dance"}]],
        "segment 2, blue, standard 1: a is 'dance' and must be one of add_farmer",
    ),
    ("segment.1.blue.standard.0.0.n", 0, "segment 2, blue, standard 1: n of 'add_farmer' is 0 and must be from 1 to 1"),
    (
        "segment.1.blue.standard.2.0.farmland",
        "pink",
        "segment 2, blue, standard 3 1, farmland is 'pink' and must be one of orange",
    ),
    ("segment.1.blue.standard.1.0.farmland", "red", "'irrigate' names the farmland 'red', which only 'add_farmer' may"),
    ("segment.1.green.spots", [[]], "segment 2, green, spots is [[]] and must have from 4 to 6 rows"),
    ("segment.1.green.spots.1.0.a", "dance", "segment 2, green, spots 2: a is 'dance'"),
    (
        "segment.1.green.spots.3.0",
        {"a": "add_farmer", "farmland": "x"},
        "segment 2, green, spots 4 1, farmland is 'x' and must be",
    ),
    ("segment.1.green.standard.0", [], "segment 2, green, standard 1 is [] and must be 1 to 2 icons"),
    ("segment.1.green.standard.3.0.farmland", "pink", "segment 2, green, standard 4 1, farmland is 'pink' and must be"),
    ("segment.1.blue.standard", [], "segment 2, blue, standard is [] and must have from 1 to 6 rows"),
    ("segment.1.blue.spots", [[]], "segment 2, blue, spots is [[]] and must have from 3 to 6 rows"),
    ("segment.1.blue.spots.1.0.a", "dance", "segment 2, blue, spots 2: a is 'dance'"),
    (
        "segment.1.blue.spots.2.0",
        {"a": "add_farmer", "farmland": "x"},
        "segment 2, blue, spots 3 1, farmland is 'x' and must",
    ),
    ("segment.0.blue.start_spots", 2, "segment 1, blue, start_spots is 2 and must be from 3 to 6"),
    ("segment.9.blue.end_dirhems", [1], "segment 10, blue, end_dirhems is [1] and must have from 3 to 6 rows"),
    ("segment.9.blue.end_dirhems", [1, 2, 3], "segment 10, blue, end_dirhems is [1, 2, 3] and must be falling"),
    ("segment.9.blue.end_dirhems.0", 11, "segment 10, blue, end_dirhems 1 is 11 and must be from 0 to 10"),
    ("segment.1.green.spots", None, "segment 2, green has standard and must have standard and spots"),
    (
        "segment.1.green.start_spots",
        4,
        "segment 2, green has standard, spots, start_spots and must have standard and spots",
    ),
    ("segment.0.green.start_spots", 3, "segment 1, green, start_spots is 3 and must be from 4 to 6"),
    ("segment.9.green.end_dirhems", [1], "segment 10, green, end_dirhems is [1] and must have from 4 to 6 rows"),
    ("segment.9.green.end_dirhems", [1, 2, 3, 4], "segment 10, green, end_dirhems is [1, 2, 3, 4] and must be falling"),
    ("segment.9.green.end_dirhems.0", 11, "segment 10, green, end_dirhems 1 is 11 and must be from 0 to 10"),
]


@pytest.mark.parametrize(
    ("path", "value", "sentence"), FAULTS, ids=[f"{path}: {value}"[:48] for path, value, _ in FAULTS]
)
def test_what_cannot_be_is_refused(path, value, sentence):
    """Table, row and value are named, and what the value must be."""
    found = list(box.faults(changed(path, value)))
    assert any(sentence in told for told in found), found


DOCUMENTED = [
    "counts.track_segments",
    "counts.mules",
    "counts.dice",
    "counts.fruits_per_type",
    "counts.crop_tokens_per_type",
    "counts.channel_tokens",
    "counts.award_tokens",
    "counts.coins",
    "counts.norias_large",
    "counts.norias_small",
    "counts.noria_large_value",
    "counts.delivery_tokens_per_type",
    "counts.goal_cards",
    "counts.delivery_cards",
    "counts.market_cards",
    "counts.reference_cards",
    "limits.max_fruit_per_type",
    "setup.delivery_tokens_per_village",
    "setup.min_fruit_types_per_village",
    "setup.remove_one_2_token_per_fruit",
    "setup.face_up_delivery_cards",
    "setup.track_side",
    "setup.market_card_fruits_come_from_the_21",
    "setup.cover_odd_coin_goal_spaces",
    "noria_spending.5",
    "noria_spending.4",
    "noria_spending.3",
    "noria_spending.2",
    "channel_tokens.straight",
]


@pytest.mark.parametrize("path", DOCUMENTED)
def test_what_is_documented_stays_as_it_is(path):
    """One more, the opposite, or a part left out."""
    own = box.DATA
    for key in path.split("."):
        own = own[key]
    match own:
        case bool():
            wrong = not own
        case int():
            wrong = own + 1
        case dict():
            wrong = dict(list(own.items())[1:])
        case _:
            wrong = own[1:]
    found = list(box.faults(changed(path, wrong)))
    sentence = f"{path.replace('.', ', ')} is {shown(wrong)} and must be {shown(own)}"
    assert sentence in found, found


CORRECTIONS = [
    (
        "delivery_tokens",
        {**box.DATA["delivery_tokens"], "numbers": [2, 3, 3, 4, 5], "two_three_player_numbers": [3, 3, 4, 5]},
    ),
    ("segment.1.green.standard", [*box.DATA["segment"][1]["green"]["standard"], [{"a": "noria", "n": 1}]]),
    ("segment.1.green.spots", [*box.DATA["segment"][1]["green"]["spots"], []]),
    ("die.faces.5", 5),
    ("farmland.1.fields", ["lemon", "lemon"]),
    ("delivery_card.0.value", 3),
    ("market_card.bonus", [2, 2, 1, 0, 0]),
    ("goal.0.rewards", [{"dirhem": 5}, {"dirhem": 2}, {"dirhem": 2}, {"noria": 2}]),
    ("award_token.1.green", [{"a": "noria", "n": 3}]),
    ("channel_space.1.adjacent", ["c1i"]),
]


@pytest.mark.parametrize(("path", "value"), CORRECTIONS, ids=[path for path, _ in CORRECTIONS])
def test_what_an_owner_may_correct_is_taken(path, value):
    assert not list(box.faults(changed(path, value)))


def test_the_games_own_data_have_no_faults():
    assert not list(box.faults(box.DATA))
