"""What a game is to a learner, at a glance: the table at the head of its page, with what random games are like."""

from statistics import mean

import numpy as np

from almunia.core.game import Game
from almunia.core.kernels.play import LIMIT
from almunia.core.rewards import checked_reward
from almunia.core.words import count_of
from almunia.envs import pettingzoo

PLAYS = 20  # random games that are looked at, of the seeds from 0 on
REWARDS = {
    "rank": "at the end, from -1 for the last to 1 for the first, with the sum 0",
    "points": "the points since the last decision",
}


def rows(game: Game) -> list[tuple[str, str]]:
    """The facts, each with its name."""
    (low, high), name, version = game.meta.seats, game.meta.name, game.meta.rules_version
    few, many = (pettingzoo.env(name, seats, build=game.build) for seats in (low, high))
    whole = many.state_space.shape
    seen, chosen = (space(many.possible_agents[0]) for space in (many.observation_space, many.action_space))
    courses = {seats: [played(game, seats, seed) for seed in range(PLAYS)] for seats in (low, high)}
    legal = [count for several in courses.values() for course in several for count in course]
    lengths = {seats: round(mean(map(len, several))) for seats, several in courses.items()}
    return [
        ("Seats", f"{low} to {high}"),
        ("Agents", f"`player_0` to `{many.possible_agents[-1]}` in PettingZoo; seats 0 to {high - 1} everywhere else"),
        ("Information", "imperfect: seats may hold secrets" if game.meta.hides else "perfect: nobody holds a secret"),
        ("Actions", f"`{chosen}`: one whole number from 0 to {chosen.n - 1}, the same for all seats"),
        ("Legal actions", f"{min(legal)} to {max(legal)} at a decision, {mean(legal):.1f} on average"),
        ("Observation", f"`{seen['observation']}`, for any number of seats"),
        ("Action mask", f"`{seen['action_mask']}`"),
        ("State", f"`{few.state_space}` in PettingZoo, for {count_of(low, 'seat')}; of shape {whole} for {high}"),
        ("Rewards", rewards(game)),
        ("Decisions", " and ".join(f"{length} with {count_of(seats, 'seat')}" for seats, length in lengths.items())),
        ("Gymnasium", f'`gymnasium.make("almunia/{name}-v{version}")`, having imported `almunia.envs.gymnasium`'),
        ("PettingZoo", f'`almunia.envs.pettingzoo.env("{name}")`, or `parallel_env`'),
        ("OpenSpiel", f'`pyspiel.load_game("python_almunia_{name}")`, having imported `almunia.envs.openspiel`'),
        ("Batches", f'`almunia.game("{name}").batch(256)`'),
        ("Rules", f"version {version}"),
    ]


def rewards(game: Game) -> str:
    """The rewards if nothing else is said, with several seats and alone."""
    low, high = game.meta.seats
    usual = dict.fromkeys(checked_reward(None, seats) for seats in (high, low))
    words = [f"`{kind}` ({REWARDS[kind]})" for kind in usual]
    return ", alone ".join(words)


def played(game: Game, seats: int, seed: int) -> list[int]:
    """How many actions were legal at each decision of a game of random ones."""
    play, rng, legal = game.new(seats, seed), np.random.default_rng(seed), list[int]()
    while not play.over and len(legal) < LIMIT:
        choices = play.legal
        legal.append(len(choices))
        play.apply(int(rng.choice(choices)))
    return legal
