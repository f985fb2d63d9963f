"""Kernel source: untyped, loop-only functions that run as Python, through Numba and on graphics processors.

    play, batch_step                    one play, and many rows of a batch, a step at a time
    policies, evaluation, naming        how the simplest bots choose, and what stands in for a game's own ways
    scoring                             ranks, and what a position is worth

A name that a module annotates without a value, such as `rules: Any`, is the game's module of that name once
`engine.specialize` has copied it. Ordinary modules call kernels by `game.kernel(module)`. Every `kernels` folder of the
package is the same: the linters know kernel source by this place.
"""
