"""The table of facts at the head of a game's page, with statistics of random games."""

from statistics import mean

import numpy as np

from almunia.batch.rewards import checked_reward
from almunia.core.english import pluralize
from almunia.core.kernels.play import MAX_DECISIONS
from almunia.envs import pettingzoo
from almunia.library import Game

SAMPLE_PLAYS = 20  # random games, with seeds from 0
REWARD_TEXTS = {
    "rank": "at the end, from -1 for the last to 1 for the first, with the sum 0",
    "points": "the points since the last decision",
}


def fact_rows(game: Game) -> list[tuple[str, str]]:
    """Return the facts on a game: name and text."""
    (low, high), name, version = game.meta.seats, game.meta.name, game.meta.rules_version
    smallest, largest = (pettingzoo.env(name, seats, build=game.build) for seats in (low, high))
    state_shape = largest.state_space.shape
    observation_space, action_space = (
        space(largest.possible_agents[0]) for space in (largest.observation_space, largest.action_space)
    )
    counts_by_seats = {
        seats: [count_legal_actions(game, seats, seed) for seed in range(SAMPLE_PLAYS)] for seats in (low, high)
    }
    legal = [count for counts in counts_by_seats.values() for counts_of_play in counts for count in counts_of_play]
    lengths = {seats: round(mean(map(len, counts))) for seats, counts in counts_by_seats.items()}
    return [
        ("Seats", f"{low} to {high}"),
        (
            "Agents",
            f"`player_0` to `{largest.possible_agents[-1]}` in PettingZoo; seats 0 to {high - 1} everywhere else",
        ),
        (
            "Information",
            "imperfect: seats may hold secrets"
            if game.meta.has_hidden_information
            else "perfect: no seat holds a secret",
        ),
        ("Actions", f"`{action_space}`: an integer from 0 to {action_space.n - 1}, the same for all seats"),
        ("Legal actions", f"{min(legal)} to {max(legal)} at a decision, {mean(legal):.1f} on average"),
        ("Observation", f"`{observation_space['observation']}`, for any number of seats"),
        ("Action mask", f"`{observation_space['action_mask']}`"),
        (
            "State",
            f"`{smallest.state_space}` in PettingZoo, for {pluralize(low, 'seat')}; of shape {state_shape} for {high}",
        ),
        ("Rewards", describe_rewards(game)),
        ("Decisions", " and ".join(f"{length} with {pluralize(seats, 'seat')}" for seats, length in lengths.items())),
        ("Gymnasium", f'`gymnasium.make("almunia/{name}-v{version}")`, after importing `almunia.envs.gymnasium`'),
        ("PettingZoo", f'`almunia.envs.pettingzoo.env("{name}")`, or `parallel_env`'),
        ("OpenSpiel", f'`pyspiel.load_game("python_almunia_{name}")`, after importing `almunia.envs.openspiel`'),
        ("Batches", f'`almunia.game("{name}").batch(256)`'),
        ("Rules", f"version {version}"),
    ]


def describe_rewards(game: Game) -> str:
    """Return the default rewards, with several seats and alone."""
    low, high = game.meta.seats
    defaults = dict.fromkeys(checked_reward(None, seats) for seats in (high, low))
    words = [f"`{kind}` ({REWARD_TEXTS[kind]})" for kind in defaults]
    return ", alone ".join(words)


def count_legal_actions(game: Game, seats: int, seed: int) -> list[int]:
    """Return the number of legal actions at each decision of a random game."""
    play, rng, counts = game.new(seats, seed), np.random.default_rng(seed), list[int]()
    while not play.over and len(counts) < MAX_DECISIONS:
        choices = play.legal_actions
        counts.append(len(choices))
        play.apply(int(rng.choice(choices)))
    return counts
