"""The designer's solo challenge S4: ten fixed deals and a campaign with barrows [D12]."""

from collections.abc import Sequence

from ....core.english import pluralize
from ....core.optional import Campaign, Challenge
from ..components import DATA

_SHEET = DATA["solo_challenge_s4"]

CAMPAIGN = (
    "Ten fixed deals from the designer's solo challenge S4 (2021). Start with "
    f"{_SHEET['barrows_at_start']} barrows: if you miss a target, you lose one and try the deal again. "
    "If you beat the best score reported, you get one. If you miss a target with none left, the campaign ends."
)

CHALLENGES = tuple(
    Challenge(
        name=f"s4-{game['game']}",
        title=f"S4, deal {game['game']}",
        options={"deal": " ".join(map(str, game["deal"]))},
        target=game["target"],
        best=game["human_high"],
    )
    for game in _SHEET["game"]
)


def campaign(attempts: Sequence[tuple[str, int]]) -> Campaign:
    """Return the campaign after these attempts, oldest first [D12].

    An attempt at a deal that is not due does not count.
    """
    barrows, reached = _SHEET["barrows_at_start"], 0
    for name, points in attempts:
        if reached == len(CHALLENGES) or name != CHALLENGES[reached].name:
            continue
        due = CHALLENGES[reached]
        if points < due.target:
            if barrows == 0:
                return Campaign("", f"The campaign ended at {due.title}, with {points} of {due.target} points.")
            barrows -= 1
        else:
            barrows += points > due.best
            reached += 1
    left = pluralize(barrows, "barrow")
    if reached == len(CHALLENGES):
        return Campaign("", f"You have mastered all {reached} deals, with {left} left.")
    due = CHALLENGES[reached]
    return Campaign(due.name, f"Next: {due.title}. Reach {due.target} points. You have {left}.")
