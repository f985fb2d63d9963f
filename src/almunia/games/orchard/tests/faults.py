"""Faults, corrections and fixed values of Orchard's component data [1.1, D9]."""

from almunia.games.orchard import components as box

FAULTS = [  # the place in the data, its wrong value (None leaves it out), and the error message
    ("game.hand_size", 3, "game, hand_size is 3 and must be 2"),
    ("game.rotations_deg", [0, 180], "game, rotations_deg is [0, 180] and must be [0, 90, 180, 270]"),
    ("fruits.A.dice", 6, "fruits, A, dice is 6 and must be 5"),
    ("fruits.P.name", "plum", "fruits, P, name is 'plum' and must be 'pear'"),
    ("fruits", dict(reversed(box.DATA["fruits"].items())), "fruits lists LPA and must list A, P and L in this order"),
    ("rotten.tokens", 0, "rotten, tokens is 0 and must be 2"),
    ("rotten.penalty_each", 0, "rotten, penalty_each is 0 and must be from 1 to 10"),
    ("dice.ladder", [1, 3, 6], "dice, ladder is [1, 3, 6] and must have 4 rows"),
    ("dice.ladder", [1, 3, 3, 10], "dice, ladder is [1, 3, 3, 10] and must be rising from each number to the next"),
    ("dice.ladder.3", 21, "dice, ladder 4 is 21 and must be from 1 to 20"),
    ("variant_pnp2018.ladder", [1, 3], "variant_pnp2018, ladder is [1, 3] and must have 3 rows"),
    ("variant_pnp2018.ladder.2", 7, "variant_pnp2018, ladder 3 is 7 and must be from 1 to 6"),
    ("variant_pnp2018.ladder", [3, 1, 6], "variant_pnp2018, ladder is [3, 1, 6] and must be rising"),
    ("variant_pnp2018.top_tier_min", 151, "top_tier_min is 151 and must be from 0 to 150"),
    ("variant_pnp2018.sides.0", [1], "variant_pnp2018, sides 1 is [1] and must have 2 rows"),
    ("variant_pnp2018.sides", box.DATA["variant_pnp2018"]["sides"][1:], "and must have 9 rows"),
    (
        "variant_pnp2018.sides.1.0",
        1,
        "variant_pnp2018, sides 2 1 is 1 and must be another one than variant_pnp2018, sides 1 1",
    ),
    ("variant_pnp2018.sides.1.0", 19, "variant_pnp2018, sides 2 1 is 19 and must be from 1 to 18"),
    ("tier.1.name", "Pal-tree", "tier 2, name is 'Pal-tree' and must be another one than tier 1, name"),
    (
        "tier.1.name",
        "Forget\napple",
        "tier 2, name is 'Forget\\napple' and must be words with single spaces between them",
    ),
    ("tier.1.min", 26, "tier 2, min is 26 and must be 25"),
    ("tier.1.min", None, "tier 2, min is None and must be 25"),
    ("tier.7.max", 99, "tier 8, max is 99, and all tiers but the last one must have one"),
    ("tier.3.max", None, "tier 4, max is None, and all tiers but the last one must have one"),
    ("tier.3.max", 30, "tier 4, max is 30 and must be at least 35"),
    ("tier", box.DATA["tier"][:1], "and must have from 2 to 20 rows"),
    (
        "solo_challenge_s4.game.1.game",
        1,
        "game 2, game is 1 and must be another one than solo_challenge_s4, game 1, game",
    ),
    (
        "solo_challenge_s4.game.0.deal",
        [4, 7, 8, 3, 14, 18, 2, 10, 4],
        "game 1, deal is [4, 7, 8, 3, 14, 18, 2, 10, 4] and must have no row",
    ),
    ("solo_challenge_s4.game.0.deal", [4, 7], "solo_challenge_s4, game 1, deal is [4, 7] and must have 9 rows"),
    ("solo_challenge_s4.game.0.deal.0", 0, "solo_challenge_s4, game 1, deal 1 is 0 and must be from 1 to 18"),
    ("solo_challenge_s4.game.0.game", 0, "solo_challenge_s4, game 1, game is 0 and must be from 1 to 100"),
    ("solo_challenge_s4.game.0.target", 0, "solo_challenge_s4, game 1, target is 0 and must be from 1 to 150"),
    ("solo_challenge_s4.game.0.human_high", 999, "game 1, human_high is 999 and must be from 1 to 150"),
    ("solo_challenge_s4.game.0.target", 46, "game 1, target is 46 and must be at most 45, the best score"),
    ("solo_challenge_s4.game", [], "solo_challenge_s4, game is [] and must have from 1 to 100 rows"),
    ("solo_challenge_s4.barrows_at_start", 101, "barrows_at_start is 101 and must be from 0 to 100"),
    ("card.17", None, "and must have 18 rows"),
    ("card.4.number", 19, "card 5, number is 19 and must be 5"),
    ("card", box.DATA["card"][::-1], "card 1, number is 18 and must be 1"),
    ("card.0.rows", ["AA", "AL", "PP"], "card 1, rows is ['AA', 'AL', 'PP'] and must be three rows of two trees"),
    ("card.0.rows", ["LAA", "L", "PP"], "card 1, rows is ['LAA', 'L', 'PP'] and must be three rows of two trees"),
    ("card.17.rows", ["AAPLPL"], "card 18, rows is ['AAPLPL'] and must have 3 rows"),
    ("card.1.rows", ["PP", "LA", "AL"], "and must be another face than that of card 1"),
]


DOCUMENTED = [  # values that no file may change
    "game.cards_total",
    "game.cards_per_game",
    "game.start_cards",
    "game.placements_per_game",
    "game.draw_deck_after_setup",
    "game.card_columns",
    "game.card_rows",
    "game.trees_per_fruit_per_card",
    "game.mirroring_allowed",
    "fruits.A.name",
    "fruits.L.name",
    "dice.total",
    "rotten.both_on_one_card",
    "rotten.may_be_overlapped_later",
]


CORRECTIONS = [  # changes that an owner's file may make
    ("dice.ladder.1", 4),
    ("rotten.penalty_each", 2),
    ("card.0.rows", ["LP", "AL", "PA"][::-1]),
    ("variant_pnp2018.sides.0", [2, 1]),
    ("solo_challenge_s4.game.0.target", 35),
    ("solo_challenge_s4.game.0.deal", [7, 4, 8, 3, 14, 18, 2, 10, 9]),
    ("tier.0.name", "Palm-tree"),
]
