"""Caylus' component data: what a corrected file may say, and what is refused in a sentence [D36]."""

FAULTS = [  # the place in the data, its wrong value (none: it is left out), and what is said
    ("meta.players_max", 6, "meta, players_max is 6 and must be 5"),
    ("stock.workers_per_player", 5, "stock, workers_per_player is 5 and must be 6"),
    ("setup.deniers_by_rank", [5, 6], "setup, deniers_by_rank is [5, 6] and must have 5 rows"),
    ("setup.deniers_two_players", [5], "setup, deniers_two_players is [5] and must have 2 rows"),
    ("road.length", 30, "road, length is 30 and must be 28"),
    ("road.scoring_trigger", {"dungeon": 12, "walls": 18, "towers": 25}, "road, scoring_trigger is {'dungeon': 12"),
    ("special.4", None, "and must have 6 rows"),
    ("special.0.id", "well", "special 1, id is 'well' and must be one of gate, trading_post"),
    ("special.1.id", "gate", "special 2, id is 'gate' and must be another one than special 1, id"),
    ("castle.section.2", None, "and must have 3 rows"),
    ("castle.section.2.spaces", 15, "castle, section 3, spaces is 15 and must be from 1 to 14"),
    ("favours.prestige.columns", [1, 2, 3, 3, 5], "must be rising from each number to the next"),
    ("favours.deniers.columns", [3, 4], "favours, deniers, columns is [3, 4] and must have 5 rows"),
    ("favours.resources.0", None, "and must have 5 rows"),
    ("building.0.id", "forest", "building 2, id is 'forest' and must be another one than building 1, id"),
    ("building.0.class", "stone", "building 2, class is 'neutral' and must be stone or a later one"),
    ("building.0.class", "palace", "building 1, class is 'palace' and must be one of neutral, fixed"),
    ("building.9.pp", 0, "building 10, pp is 0 and must be from 1 to 30"),
    ("building.9.cost", {"wood": 6}, "building 10, cost, wood is 6 and must be from 1 to 5"),
    ("building.0.effect.kind", "pray", "building 1, effect, kind is 'pray' and must be one of produce, trade"),
    ("building.5.effect.builds", "tent", "building 6, effect, builds is 'tent' and must be one of wood, stone"),
    ("building.0.effect.options", [], "building 1, effect, options is [] and must have from 1 to 2 rows"),
    (
        "building.0.effect.options",
        [{"food": 1}, {"food": 2}],
        "building 1, effect, options is [{'food': 1}, {'food': 2}] and must be of one kind each, all different",
    ),
    ("final.deniers_per_pp", 0, "final, deniers_per_pp is 0 and must be from 1 to 30"),
]


DOCUMENTED = [  # what must stay as it is
    "meta.players_min",
    "setup.bailiff",
    "setup.provost",
    "road.neutral",
    "road.bailiff_step_provost_ahead",
    "road.bailiff_step_otherwise",
    "bridge.spaces",
    "provost.max_steps_phase4",
    "provost.max_steps_guild",
    "castle.batch_must_contain",
    "castle.batch_kinds",
    "castle.batch_size",
    "favours.columns",
    "favours.max_per_player_and_phase",
    "favours.lines",
]


CORRECTIONS = [  # what an owner may correct
    ("building.16.pp", 3),  # the Lawyer of later printings
    ("building.20.pp", 4),  # the Church of 2005
    ("building.0.effect.options", [{"food": 1}, {"cloth": 2}]),
    ("final.pp_per_gold", 2),
    ("setup.deniers_by_rank", [5, 5, 6, 6, 7]),
]
