"""What a game is: states, randomness, twins, plays, records. It knows no game by name.

    contract, guidance, options, codes, layout              what a game's modules give
    component_data, schema                                  its data file, checked
    registry, game, arguments                               games found by looking, ready to use
    twins, plain, compiled, gpu                             one text of rules, run in several ways
    kernels                                                 the loops of core, which run in those ways too
    code_digest, deferring, announcing, threads             compiling: kept on disk, announced, interrupted
    play, serialization                                     a play, and its bytes
    batch, buffers, rewards, using                          many plays at a time, for learners
    rivals, asking, specs                                   their opponents, in the loop and outside it
    devices, gpu_batch                                      the same on a graphics processor
    workspaces                                              what the simplest bots write on
    record, replaying, scenario                             plays and positions as text
    picture, drawing, remembering, lines, words             what people see and read
    lesson, figures                                         what teaches them: a first game, pictures in the rules
    describing                                              what language models read

It imports nothing of Almunia but `errors` and `files`.
"""
