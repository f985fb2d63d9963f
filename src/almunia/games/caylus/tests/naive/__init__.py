"""An independent, simple implementation of Caylus that plays whole games.

Tests compare the game's rules with this package. A game is one long generator, the method `rest_of_game`, which yields
each decision of a player and continues with the answer. Seats are numbers from 0. Kinds of cubes and ids of buildings
are as in components.toml.

The questions (the words of `question()`) and their choices follow. A question with a single choice is not asked. The
choices are listed when a question is asked. So after a manual change begin a phase again with `resume`, or play a part
with `play`.

    place       ("place", "castle")  ("place", "gate")  also "trading_post", "merchants_guild", "joust_field",
                "stables", "inn"  ("place", "road", space)  ("pass",)
    gate        ("gate", "castle") and so on, as with place  ("gate", "road", space)  ("home",)
    guild       ("provost", steps), negative towards the castle
    joust       ("joust",)  ("decline",)
    inn         ("keep",)  ("home",)
    provost     ("provost", steps) as with guild
    produce     ("produce", (("food", 2),)): pairs of kind and number
    bonus       ("bonus", kind): the owner's cube, asked of the owner
    trade       ("sell", kind) in a marketplace  ("trade", index of the option, from 0) elsewhere  ("decline",)
    give        ("give", kind): one cube at a time
    take        ("take", kind): one cube at a time
    build       ("build", id): a wood or a stone building  ("decline",) unless it is asked in a favour
    free_cube   ("free_cube", kind): the cube of any kind in the price of a building
    prestige    ("prestige", id)  ("decline",) unless it is asked in a favour
    site        ("site", space): the own residence that the prestige building replaces
    lawyer      ("lawyer", space)  ("decline",) unless it is asked in a favour
    castle      ("batch", (kind, kind)): the two cubes given with food  ("stop",)
    line        ("line", "prestige")  also "deniers", "resources", "buildings"
    column      ("column", number) on the lines of resources and buildings  ("decline",)
"""

from .course import Naive
from .position import BOX, BUILDING, DECLINE, SECTION

__all__ = ["BOX", "BUILDING", "DECLINE", "SECTION", "Naive"]
