"""Many plays: simulations, measurements, and matches between bots.

    simulate, export                     many plays of the same bots, as arrays and files
    recording, traces                    every decision of many plays, for learning
    match, lineups, sequential           bots that meet on the same deals, until enough is known
    refereeing, engines, ray_engine      one of those plays, and many side by side
    ledger, seeds                        what is kept of them, and which deals they are
    standings, ratings, report, tuning   what they say
    kernels                              the loops of simulations and traces, compiled with the game
    bench                                the speed of a game's rules

It stands above `core` and `bots`, and below the commands.
"""
