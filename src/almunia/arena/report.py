"""The summary of a match: for programs, for people, and as a plot."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import MissingExtra
from ..files import whole
from .ledger import Row
from .ratings import Rating, ratings
from .standings import Standing, standing, standings

HEAD = ("pairing", "bot", "plays", "wins", "95%", "fair", "points", "ahead by", "s/decision")


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The summary as plain data: every bot over all its seats and plays, the strongest first, and every pairing.

    `win_rate` counts a shared win as its share; `low` and `high` are its interval of 95%.
    """
    rated = {rating.bot: rating for rating in ratings(rows)}
    names = sorted({bot for row in rows for bot in row["bots"]})
    bots = [
        _facts(standing("", bot, [row for row in rows if bot in row["bots"]])) | _rated(rated.get(bot)) for bot in names
    ]
    strongest_first = sorted(bots, key=strength, reverse=True)
    return {
        "plays": len(rows),
        "bots": strongest_first,
        "pairings": [_facts(found) | {"pairing": found.pairing} for found in standings(rows)],
    }


def strength(bot: dict[str, Any]) -> float:
    """By what bots are put in order: their ratings, or their points if they did not meet."""
    return bot["points"][0] or 0.0 if bot["rating"] is None else bot["rating"]


def _facts(found: Standing) -> dict[str, Any]:
    return {
        "spec": found.bot,
        "plays": found.plays,
        "deals": found.deals,
        "win_rate": round(found.share.value, 4),
        "low": round(found.share.low, 4),
        "high": round(found.share.high, 4),
        "fair": round(1 / found.seats, 4),
        "points": found.points.known(),
        "ahead": found.margin.known(),
        "seconds": round(found.seconds, 6),
        "faults": list(found.faults),
    }


def _rated(rating: Rating | None) -> dict[str, Any]:
    return {
        "rating": round(rating.bradley_terry.value, 1) if rating else None,
        "rating_interval": rating.bradley_terry.known()[1:] if rating else None,
        "openskill": rating.openskill.known() if rating else None,
    }


def lines(summary: dict[str, Any]) -> list[str]:
    """The pairings as a table, then the ratings, then what went wrong."""
    table = [HEAD, *(_row(found) for found in summary["pairings"])]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEAD))]
    out = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    rated = [bot for bot in summary["bots"] if bot["rating"] is not None]
    if rated:
        out += ["", "Rating on the Elo scale (Bradley-Terry), and by openskill:"]
    for bot in rated:
        low, high = bot["rating_interval"]
        mu, mu_low, mu_high = bot["openskill"]
        out.append(
            f"{bot['spec']:<24} {bot['rating']:>6.0f} [{low:.0f}, {high:.0f}]   {mu:.1f} [{mu_low:.1f}, {mu_high:.1f}]"
        )
    return out + [
        f"{bot['spec']} failed {number:,} time{'s' * (number > 1)}: {fault}"
        for bot in summary["bots"]
        for fault, number in Counter(bot["faults"]).items()
    ]


def _row(bot: dict[str, Any]) -> tuple[str, ...]:
    return (
        bot["pairing"],
        bot["spec"],
        f"{bot['plays']:,}",
        f"{bot['win_rate']:.1%}",
        f"{bot['low']:.1%} to {bot['high']:.1%}",
        f"{bot['fair']:.1%}",
        interval(bot["points"], ".1f"),
        interval(bot["ahead"], "+.1f"),
        f"{bot['seconds']:.4f}",
    )


def interval(numbers: Sequence[float | None], form: str) -> str:
    """A value with its bounds, in this format."""
    value, low, high = (shown(number, form) for number in numbers)
    return f"{value} [{low.strip()}, {high.strip()}]"


def shown(number: float | None, form: str) -> str:
    """A number in this format, if it is known: of one deal no bounds are."""
    return "?" if number is None else format(number, form)


def plot(summary: dict[str, Any], title: str, path: Path) -> None:
    """Draw the win rates with their intervals, as SVG; MissingExtra without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra.named("A plot needs", "matplotlib", "arena") from None
    bots = summary["pairings"]
    picture = Figure(figsize=(8, 1.2 + 0.45 * len(bots)), layout="constrained")
    axes = picture.subplots()
    for place, bot in enumerate(reversed(bots)):
        value = bot["win_rate"]
        reach = [[value - bot["low"]], [bot["high"] - value]]
        axes.errorbar(value, place, xerr=reach, fmt="o", color="#8c3b21", capsize=4)
        axes.plot([bot["fair"]] * 2, [place - 0.3, place + 0.3], color="#7a7a7a", linestyle=":")
    axes.set_yticks(range(len(bots)), [f"{bot['spec']}  ({bot['pairing']})" for bot in reversed(bots)])
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of wins, with its interval of 95%; dotted: a fair share")
    axes.set_title(title)
    with whole(path) as draft:
        picture.savefig(draft, format="svg")
