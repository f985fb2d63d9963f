"""What a game is: states, randomness, twins, plays, records. It knows no game by name.

    contract, guidance, options, codes, layout, naming      what a game's modules give, and what stands in for the rest
    component_data, schema                                  its data file, checked
    registry, game, arguments                               games found by looking, ready to use
    twins, plain, compiled, gpu, loops, chance, ranking     one text of rules, run in several ways
    code_digest, deferring, announcing, threads             compiling: kept on disk, announced, interrupted
    play, serialization                                     a play, and its bytes
    batch, batching, buffers, rewards, worth, using         many plays at a time, for learners
    rivals, asking, specs                                   their opponents, in the loop and outside it
    devices, gpu_batch, grids                               the same on a graphics processor, and its kernels
    choosing, evaluation, workspaces                        how the simplest bots choose, and what they write on
    record, replaying, scenario                             plays and positions as text
    picture, drawing, remembering, lines, words             what people see and read
    lesson, figures                                         what teaches them: a first game, pictures in the rules
    describing                                              what language models read

It imports nothing of Almunia but `errors` and `files`.
"""
