"""Caylus, by William Attia: workers, a growing road of buildings, a castle under construction, and a provost."""

from ...core.contract import Meta
from ...core.options import Choice

META = Meta(
    name="caylus",
    title="Caylus",
    designers=("William Attia",),
    year=2005,
    seats=(2, 5),
    points=(-50, 2_000),  # far beyond any score seen; a section of the castle costs a few points
    decisions=10_000,
    about="Place workers along a growing road, and build the king's castle for points and royal favours.",
    minutes=75,
    weight=4,
    options=(
        Choice(
            "jeweller",
            "Jeweller",
            ("no", "yes"),
            help="A tenth stone building from later printings, which sells gold for points.",
        ),
        Choice(
            "favours",
            "Royal favours",
            ("table", "points"),
            help="For a first game, you can play without the table of favours. Then each favour is 3 points.",
            words=("the table of favours", "3 points each"),
        ),
        Choice(
            "reduced",
            "Reduced game",
            ("no", "yes"),
            help="The game ends after the Dungeon is scored, for algorithms that must finish. Not the published game.",
            reduces=True,
        ),
    ),
    has_hidden_information=False,
)
