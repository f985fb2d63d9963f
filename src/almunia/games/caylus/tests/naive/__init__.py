"""A second opinion on Caylus that plays whole games, written from the rule sheet and its tables alone.

A game is one long generator, the method `rest_of_game`: it stops wherever somebody has to decide, and goes on with the
answer. Nothing is fast here.

What a game shows (seats are numbers from 0, kinds of cubes and ids of buildings are those of components.toml):

    turn                     number of the turn, from 1
    phase                    "income", "workers", "special", "provost", "road", "castle" or "end"
    turn_order, bridge       seats in turn order; seats in the order in which they have passed this turn
    bailiff, provost         spaces of the road
    road[space]              a Plot: building, owner, worker, residence_for (see there)
    supply[id]               craft and prestige tiles that can be built, by number
    money[seat], cubes[seat][kind], points[seat], home[seat] (workers), favours[seat][line] (column, 0 at first)
    lines_used[seat]         lines on which this seat has had a favour in this phase
    houses[section][seat], scored[section]
    special[name]            seat whose worker stands on gate, trading_post, merchants_guild or joust_field, or None
    stables, castle          seats by circle; inn_left, inn_right: seat or None
    over, winners            winners is a list of seats, empty until the end

Questions (the words of `question()`, with the seat that decides) and the choices to them. A question with only one
choice is not asked, but answered by itself. A price is paid as soon as the choice that names it is made, and a
new tile leaves the supply when it lies on the road. The choices are listed when a question comes up: whoever changes
the position by hand begins a phase anew with `resume`, or plays one of its parts with `play`.

    place       ("place", "castle")  ("place", "gate")  also "trading_post", "merchants_guild", "joust_field",
                "stables", "inn"  ("place", "road", space)  ("pass",)
    gate        ("gate", "castle") and so on, as with place  ("gate", "road", space)  ("home",)
    guild       ("provost", steps) with steps from -3 to 3, minus being towards the castle; 0 leaves it
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
    site        ("site", space): the own residence that gives way to a prestige building
    lawyer      ("lawyer", space)  ("decline",) unless it is asked in a favour
    castle      ("batch", (kind, kind)): the two cubes beside the food, in the order wood, stone, cloth, gold
                ("stop",)
    line        ("line", "prestige")  also "deniers", "resources", "buildings"
    column      ("column", number) on the lines of resources and buildings  ("decline",)

Where the sheet left a doubt, and what is done here:

    a. Only the refusal of prestige and deniers favours is said not to be offered. So a favour on the line of
       resources can be refused, even one that is worth a mere cube. On the line of buildings column 1 does nothing:
       it and the refusal are one choice, ("decline",). A column that can do nothing now (no tile to pay for, no
       target, no cube to exchange) is not offered.
    b. Whoever has chosen a column of a favour uses it: what follows (which tile, which target) offers no refusal
       again, since refusing was a choice at the column. Whoever has begun a trade ends it.
    c. The site of a prestige building makes no difference to the play. It is asked all the same if there are
       several; whoever compares with an engine that takes the lowest space answers `choices()[0]`.
    d. A new tile lies on the road before its favours are had, so these can turn the very Church just built into a
       residence; it then is back in the supply and somebody can build it again, favour and all.
    e. "Occupied" is: a worker stands there. It covers every case, because the workers of phase 5 are taken off one
       by one, each after his building has done its work.
    f. The favour for most batches comes when all have given, before the castle workers go home.
    g. After a swap nobody is asked about the right circle, not even by the worker who has just come there.
    h. "Filled this turn" is: full and not scored yet. A full section is always scored in the same turn.
    i. After the conversion of the end, cubes and money are still there, only counted.
    j. Without a worker, or without a space that he can pay, a player passes by himself in his turn.
    k. A joust can be had whenever it can be paid. There always is a line for it, as it is the first favour of its
       phase.
    l. With two players the one who places on pays 3 as soon as the other has passed, and never 2.
    m. A cube bought or exchanged may be of any of the four kinds, the one just given too.
    n. Money goes by the place in the first turn order, which is handed in; with two players both have 5.
    o. The Guild too never moves the provost off the road, though it cannot come to that.
    p. A worker may go home from the Gate though there is a space for him. With two players the Stables are no such
       space, and to a player already in the castle the castle is none.
    q. A delayed residence still is the craft building of its owner while its worker is resolved, so a non-owner's
       worker still gives the owner his cube.
"""

from .course import Naive
from .position import BOX, BUILDING, DECLINE, SECTION

__all__ = ["BOX", "BUILDING", "DECLINE", "SECTION", "Naive"]
