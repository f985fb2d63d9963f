"""Stages of a tournament: the players who meet in some of its rounds, and how they are paired.

A Swiss tournament and a round-robin are one stage. With groups, each group is a stage of the first rounds, and the best
players of each group meet in a final, which is the stage of the later rounds. Groups and final are round-robins.

An arena is one stage, too. Its rounds do not wait for each other: a round pairs the players who are free.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from random import Random
from typing import NamedTuple

from .pairing import History, Pairing, pair_round_robin, pair_swiss, round_robin_rounds
from .standings import Game, Standing, standings

SWISS, ROUND_ROBIN, GROUPS, ARENA = "swiss", "round-robin", "groups", "arena"
FINAL = "Final"
MAX_ARENA_ROUNDS = 5000


class Plan(NamedTuple):
    """The form of a tournament."""

    kind: str  # SWISS, ROUND_ROBIN, GROUPS or ARENA
    seats: int  # of each table
    places: int  # entrants
    rounds: int = 0  # of a Swiss tournament
    minutes: int = 0  # of an arena
    groups: int = 0
    finalists: int = 0  # of each group

    def count_rounds(self, entrants: int) -> int:
        """Return the number of rounds with this number of entrants; 0 for an arena."""
        if self.kind == ROUND_ROBIN:
            return round_robin_rounds(entrants, self.seats)
        if self.kind == GROUPS:
            final = round_robin_rounds(self.groups * self.finalists, self.seats)
            return round_robin_rounds(-(-entrants // self.groups), self.seats) + final
        return self.rounds

    def describe_shortage(self, entrants: int) -> str:
        """Return why there are too few entrants; empty if there are enough."""
        if self.kind == GROUPS and entrants // self.groups < (least := max(self.seats, self.finalists)):
            return f"Each of the {self.groups} groups needs {least} players or more, but there are {entrants} players."
        if entrants < self.seats:
            return f"A table has {self.seats} players, but there are only {entrants} players."
        return ""


class Stage(NamedTuple):
    """Some players, and the rounds in which they meet."""

    name: str  # empty if it is the only stage
    players: tuple[int, ...]  # numbers of the entrants, in ascending order
    rounds: range

    def games(self, games: Sequence[Game]) -> list[Game]:
        return [game for game in games if game.round in self.rounds and game.players[0] in self.players]

    def standings(self, games: Sequence[Game]) -> list[Standing]:
        """Return the standings of the stage, best first."""
        return standings(self.players, self.games(games))


def stages_of(
    plan: Plan, seed: int, entrants: int, games: Sequence[Game], begun: int, withdrawn: Collection[int]
) -> list[Stage]:
    """Return the stages of a tournament of which `begun` rounds have begun: those that have begun or may begin now.

    A final is the first one.
    """
    if plan.kind != GROUPS:
        rounds = MAX_ARENA_ROUNDS if plan.kind == ARENA else plan.count_rounds(entrants)
        return [Stage("", tuple(range(entrants)), range(1, rounds + 1))]
    groups = draw_groups(entrants, plan.groups, seed)
    counts = [round_robin_rounds(len(players), plan.seats) for players in groups]
    found = [
        Stage(f"Group {number}", players, range(1, count + 1))
        for number, (players, count) in enumerate(zip(groups, counts, strict=True), 1)
    ]
    first = max(counts) + 1
    are_groups_over = begun >= first - 1 and all(game.scores for game in games if game.round < first)
    finalists = {player for game in games if game.round >= first for player in game.players}
    if are_groups_over and not finalists:
        for stage in found:
            ranked = [one.player for one in stage.standings(games) if one.player not in withdrawn]
            finalists |= {*ranked[: plan.finalists]}
    if finalists:
        last = first + round_robin_rounds(len(finalists), plan.seats) - 1
        found.insert(0, Stage(FINAL, tuple(sorted(finalists)), range(first, last + 1)))
    return found


def draw_groups(entrants: int, groups: int, seed: int) -> list[tuple[int, ...]]:
    """Return groups of random players, whose sizes differ by at most one."""
    order = [*range(entrants)]
    Random(f"{seed} groups").shuffle(order)
    return [tuple(sorted(order[at::groups])) for at in range(groups)]


def pair_stage(
    stage: Stage,
    plan: Plan,
    games: Sequence[Game],
    players: Collection[int],
    apart: frozenset[frozenset[int]],
    number: int,
    seed: int,
) -> Pairing:
    """Return round `number` of a stage, from 1 in the tournament, for those of its players who can be paired.

    In an arena, each earlier round without a player counts as a bye, so the players with the fewest games are paired.
    """
    own = stage.games(games)
    points = {one.player: one.points for one in standings(stage.players, own)}
    index = {player: at for at, player in enumerate(stage.players)}  # the pairings number the players of a stage
    byes = [game.players[0] for game in own if game.is_bye]
    if plan.kind == ARENA:
        counts = Counter(player for game in own for player in game.players)
        byes = [player for player in players for _ in range(number - 1 - counts[player])]
    history = History(
        {index[player]: points[player] for player in players},
        [[index[player] for player in game.players] for game in own if not game.is_bye],
        [index[player] for player in byes],
        frozenset(frozenset(index[player] for player in pair) for pair in apart if pair <= index.keys()),
    )
    text = f"{seed} {number} {stage.name}".rstrip()
    if plan.kind in (SWISS, ARENA):
        pairing = pair_swiss(history, plan.seats, text)
    else:
        of_stage = number - stage.rounds.start + 1
        pairing = pair_round_robin(history, plan.seats, text, len(stage.players), of_stage)
    tables = tuple(tuple(stage.players[at] for at in table) for table in pairing.tables)
    return Pairing(tables, () if plan.kind == ARENA else tuple(stage.players[at] for at in pairing.byes))
