"""The summary of a match: as data, as text, and as a plot."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import MissingExtra
from ..files import atomic_write
from .ledger import Row
from .ratings import Rating, ratings
from .standings import Standing, standing, standings

HEAD = ("pairing", "bot", "plays", "wins", "95%", "fair", "points", "ahead by", "s/decision")


def summarize(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the summary as plain data: every bot with all its plays, the strongest first, and every pairing.

    `win_rate` counts a shared win as a fraction, and has the 95% confidence interval from `low` to `high`. Raise
    MissingExtra without the extra `arena`.
    """
    rated = {rating.bot: rating for rating in ratings(rows)}
    names = sorted({bot for row in rows for bot in row["bots"]})
    bots = [
        _standing_data(standing("", bot, [row for row in rows if bot in row["bots"]])) | _rating_data(rated.get(bot))
        for bot in names
    ]
    # Without opponents there are no ratings, only points.
    bots.sort(key=lambda bot: bot["points"][0] or 0.0 if bot["rating"] is None else bot["rating"], reverse=True)
    return {
        "plays": len(rows),
        "bots": bots,
        "pairings": [_standing_data(one) | {"pairing": one.pairing} for one in standings(rows)],
    }


def _standing_data(result: Standing) -> dict[str, Any]:
    return {
        "spec": result.bot,
        "plays": result.plays,
        "deals": result.deals,
        "win_rate": round(result.share.value, 4),
        "low": round(result.share.low, 4),
        "high": round(result.share.high, 4),
        "fair": round(1 / result.seats, 4),
        "points": result.points.rounded(),
        "ahead": result.lead_over_mean.rounded(),
        "seconds": round(result.seconds, 6),
        "faults": list(result.faults),
    }


def _rating_data(rating: Rating | None) -> dict[str, Any]:
    return {
        "rating": round(rating.bradley_terry.value, 1) if rating else None,
        "rating_interval": rating.bradley_terry.rounded()[1:] if rating else None,
        "openskill": rating.openskill.rounded() if rating else None,
    }


def format_summary(summary: dict[str, Any]) -> list[str]:
    """Return the lines of a summary: a table of the pairings, and the ratings and faults if there are any."""
    table = [HEAD, *(_row(pairing) for pairing in summary["pairings"])]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    rated = [bot for bot in summary["bots"] if bot["rating"] is not None]
    if rated:
        lines += ["", "Rating on the Elo scale (Bradley-Terry), and by openskill:"]
    for bot in rated:
        low, high = bot["rating_interval"]
        mu, mu_low, mu_high = bot["openskill"]
        lines.append(
            f"{bot['spec']:<24} {bot['rating']:>6.0f} [{low:.0f}, {high:.0f}]   {mu:.1f} [{mu_low:.1f}, {mu_high:.1f}]"
        )
    return lines + [
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
    """Return `[value, low, high]` as a string, such as `12.3 [11.9, 12.7]`; `?` stands for None."""
    value, low, high = (format_number(number, form) for number in numbers)
    return f"{value} [{low.strip()}, {high.strip()}]"


def format_number(number: float | None, form: str) -> str:
    return "?" if number is None else format(number, form)


def plot(summary: dict[str, Any], title: str, path: Path) -> None:
    """Write an SVG plot of the win rates and their intervals to `path`.

    Raise MissingExtra without matplotlib, and SetupError if `path` cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra.named("A plot needs", "matplotlib", "arena") from None
    bots = summary["pairings"]
    picture = Figure(figsize=(8, 1.2 + 0.45 * len(bots)), layout="constrained")
    axes = picture.subplots()
    for y, bot in enumerate(reversed(bots)):
        value = bot["win_rate"]
        errors = [[value - bot["low"]], [bot["high"] - value]]
        axes.errorbar(value, y, xerr=errors, fmt="o", color="#8c3b21", capsize=4)
        axes.plot([bot["fair"]] * 2, [y - 0.3, y + 0.3], color="#7a7a7a", linestyle=":")
    axes.set_yticks(range(len(bots)), [f"{bot['spec']}  ({bot['pairing']})" for bot in reversed(bots)])
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of wins, with its 95% interval; dotted: a fair share")
    axes.set_title(title)
    with atomic_write(path) as draft:
        picture.savefig(draft, format="svg")
