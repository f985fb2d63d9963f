"""An independent, simple implementation of Caylus that plays whole games, written from the rule sheet and its tables.

Tests compare the game's rules with this package.

A game is one long generator, the method `rest_of_game`, which yields each decision of a player and continues with the
answer.

The fields of a game (seats are numbers from 0; kinds of cubes and ids of buildings are as in components.toml):

    turn                     number of the turn, from 1
    phase                    "income", "workers", "special", "provost", "road", "castle" or "end"
    turn_order, bridge       seats in turn order; seats in the order in which they have passed this turn
    bailiff, provost         spaces of the road
    road[space]              a Plot: building, owner, worker, residence_for
    supply[id]               craft and prestige tiles that can be built, by number
    money[seat], cubes[seat][kind], points[seat], home[seat] (workers), favours[seat][line] (column, 0 at first)
    lines_used[seat]         lines on which this seat has used a favour in this phase
    houses[section][seat], scored[section]
    special[name]            seat whose worker is on gate, trading_post, merchants_guild or joust_field, or None
    stables, castle          seats by circle; inn_left, inn_right: seat or None
    over, winners            winners is a list of seats, empty until the end

The questions (the words of `question()`, with the seat that decides) and their choices. A question with a single
choice is not asked: the game chooses. A price is paid as soon as the choice that names it is made, and a
new tile leaves the supply when it is put on the road. The choices are listed when a question is asked. After a
manual change, begin a phase again with `resume`, or play one of its parts with `play`.

    place       ("place", "castle")  ("place", "gate")  also "trading_post", "merchants_guild", "joust_field",
                "stables", "inn"  ("place", "road", space)  ("pass",)
    gate        ("gate", "castle") and so on, as with place  ("gate", "road", space)  ("home",)
    guild       ("provost", steps) with steps from -3 (towards the castle) to 3; 0 leaves the provost
    joust       ("joust",)  ("decline",)
    inn         ("keep",)  ("home",)
    provost     ("provost", steps) as with guild, a denier a step
    produce     ("produce", (("food", 2),)): pairs of kind and number, in the order of components.toml
    bonus       ("bonus", kind): the owner's cube of a stone production building, asked of the owner
    trade       ("sell", kind) in a marketplace  ("trade", index of the option, from 0) elsewhere  ("decline",)
    give        ("give", kind): one cube at a time, for the Alchemist and for the exchange of a favour
    take        ("take", kind): one cube at a time, from a Peddler or by a favour on the line of resources
    build       ("build", id): a wood or a stone building  ("decline",) unless it is asked in a favour
    free_cube   ("free_cube", kind): the cube of any kind in the price of a building
    prestige    ("prestige", id)  ("decline",) unless it is asked in a favour
    site        ("site", space): the own residence that the prestige building replaces
    lawyer      ("lawyer", space)  ("decline",) unless it is asked in a favour
    castle      ("batch", (kind, kind)): the two cubes given with food, in the order wood, stone, cloth, gold
                ("stop",)
    line        ("line", "prestige")  also "deniers", "resources", "buildings"
    column      ("column", number) on the lines of resources and buildings  ("decline",)

Points that the rule sheet leaves open, and their treatment here:

    a. The sheet says only of prestige and deniers favours that their refusal is not offered. So a favour on the line
       of resources can be refused, even one that gives a single cube. On the line of buildings column 1 does nothing:
       that column and the refusal are one choice, ("decline",). A column that can do nothing now (no tile to pay for,
       no target, no cube to exchange) is not offered.
    b. A player who has chosen a column of a favour uses it. The questions that follow (which tile, which target)
       offer no refusal, as refusing was a choice at the column. A player who has begun a trade completes it.
    c. The site of a prestige building makes no difference to the play. It is still asked if there are several. To
       compare with an engine that takes the lowest space, answer `choices()[0]`.
    d. A new tile lies on the road before its favours are used, so these can turn the Church just built into a
       residence. It is then back in the supply and can be built again, favour included.
    e. "Occupied" means that a worker is there. It covers every case, because the workers of phase 5 are removed one
       at a time, each after its building has been used.
    f. The favour for most batches comes when all have given, before the castle workers go home.
    g. After a swap no player is asked about the right circle, not even the one whose worker has just moved there.
    h. "Filled this turn" means full and not scored yet. A full section is always scored in the same turn.
    i. After the conversion at the end, cubes and money are still there, only counted.
    j. A player without a worker, or without a space that he can pay for, passes automatically in his turn.
    k. A player can joust whenever he can pay. There always is a line for it, as it is the first favour of its phase.
    l. With two players, the player who continues to place workers pays 3 as soon as the other has passed, never 2.
    m. A cube bought or exchanged may be of any of the four kinds, including the one just given.
    n. Money goes by the place in the first turn order, which is an argument; with two players both have 5.
    o. The Guild too never moves the provost off the road, though this cannot occur.
    p. A worker may go home from the Gate although a space is free for him. With two players the Stables are no such
       space, nor is the castle for a player already in it.
    q. A delayed residence is still the craft building of its owner while its worker is resolved, so another
       player's worker still gives the owner his cube.
"""

from .course import Naive
from .position import BOX, BUILDING, DECLINE, SECTION

__all__ = ["BOX", "BUILDING", "DECLINE", "SECTION", "Naive"]
