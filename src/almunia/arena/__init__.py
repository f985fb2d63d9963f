"""Many plays: simulations, measurements, and matches between bots.

simulate, export                     many plays of the same bots, as arrays and files
trace_writer, traces                 every decision of many plays, for learning
match, lineups, sprt                 matches between bots on the same deals, and early stopping
runner, executors                    running one play of a match, and many plays in parallel
folder, ledger, seeds                stored results, and seeds
agents                               bots of your own in matches and traces
standings, ratings, report, tuning   evaluation of matches
evolution                            weights of evaluations, by self-play
bench                                the speed of a game's rules
kernels                              loops that are compiled with the game
"""
