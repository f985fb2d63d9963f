"""Orchard, a game by Mark Tuck."""

from ...core.contract import Meta, Sequel
from ...core.options import Choice, Numbers

META = Meta(
    name="orchard",
    title="Orchard",
    designers=("Mark Tuck",),
    year=2018,
    seats=(1, 6),
    points=(-6, 150),  # two rotten-fruit tokens, and fifteen dice at 10
    decisions=96,  # six seats lay eight cards each, with at most one more question a card
    about="Place cards so that fruit trees cover trees of the same fruit, and harvest more each time.",
    minutes=10,
    weight=1,
    options=(
        Choice(
            "edition",
            "Edition",
            ("2019", "2018"),
            "2019: 18 cards, dice up to 10. 2018: nine double-sided cards, ordinary dice up to 6.",
        ),
        Choice(
            "half",
            "Cards",
            ("first", "second"),
            "A game uses nine cards. You can play another game with the other nine of the same shuffle.",
            words=("The first nine", "The other nine"),
        ),
        Numbers(
            "deal",
            "Fixed deal",
            count=9,
            low=1,
            high=18,
            fixes_deal=True,
            help="Card numbers: the start card, the two in hand, then the six draws.",
        ),
        Choice(
            "reduced",
            "Reduced game",
            ("no", "yes"),
            "Four cards make a game, for algorithms that must finish. Not the published game.",
            reduces=True,
        ),
    ),
    sequels=(Sequel("Play the other nine cards", {"half": "second"}, dealt="deal"),),
)
