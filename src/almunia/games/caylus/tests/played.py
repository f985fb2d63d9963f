"""Random plays of Caylus with words and pictures: `python -m` and the name of this module runs them.

Tests run it with ALMUNIA_COMPONENTS, for component data are read when the game is imported.
"""

import numpy as np

import almunia

PLAYS = ((2, {}), (3, {}), (4, {}), (5, {}), (4, {"jeweller": "yes", "favours": "points"}))  # seats and options
SHOWN = 25  # pictures are drawn at every 25th decision


def main() -> None:
    """Play random games to the end in the plain build, with all words and some pictures."""
    game = almunia.game("caylus", "plain")
    for seed, (seats, options) in enumerate(PLAYS):
        play, rng = game.new(seats, seed, **options), np.random.default_rng(seed)
        while not play.over:
            seen = play.observe(play.turn)
            assert len({play.say(action).lower() for action in seen.legal}) == len(seen.legal)
            assert game.text.ask(seen.state)
            if len(play.actions) % SHOWN == 0:
                game.view.panels(seen.state, play.turn, seen.legal)
            action = int(rng.choice(seen.legal))
            game.text.offer(seen.state, action), game.text.effect(seen.state, action)
            play.apply(action)
            game.text.tell(seen.state, action, play.observe(0).state)
        assert game.text.board(play.state, 0)
        assert min(min(me.cubes) for me in play.state.seat) >= 0


if __name__ == "__main__":
    main()
