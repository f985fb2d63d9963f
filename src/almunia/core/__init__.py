"""What a game is, running it, and plays of it. It knows no game by name.

    contract, guidance, options, codes, layout              what a game's modules give
    component_data, schema                                  its data file, checked
    registry, loaded, arguments                             games found by looking, and their modules in one build
    twins, plain, compiled, gpu                             one text of rules, run in several ways
    kernels                                                 the loops of core, which run in those ways too
    code_digest, deferring, announcing, threads             compiling: kept on disk, announced, interrupted
    workspaces                                              what the simplest bots write on
    position, cursor, play                                  a state, stepping it, and a play with undo and words
    record, serialization, scenario                         plays and positions as text and as bytes
    picture, drawing, remembering, lines, words             what people see and read
    lesson, figures                                         what teaches them: a first game, pictures in the rules
    describing                                              what language models read
    batch, buffers, rewards, rivals, asking, gpu_batch      many plays at a time, for learners, and their opponents
    game                                                    all of it for one title: Game, found by name

It imports nothing of Almunia but `errors`, `files` and `specs`.
"""
