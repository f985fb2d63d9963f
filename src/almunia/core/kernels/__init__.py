"""Kernel source: untyped functions with loops that run as Python, through Numba and on graphics processors.

    play, batch_step                    one play, and many rows of a batch, a step at a time
    policies                            the random and the greedy bot
    scoring                             ranks, margins and potentials
    defaults, evaluation                defaults for optional parts of a game

`engine.specialize` binds a name that a module annotates without a value, such as `rules: Any`, to the game's module of
that name. Ordinary modules call kernels by `game.kernel(module)`. Every `kernels` folder of the package holds kernel
source, and the linters recognize kernel source by the name of the folder.
"""
