"""What a game is: the contract of its modules, and what they are written with. It knows no game by name.

    contract, optional                          what a game's modules must and may provide
    options, codes                              options of a play, and codes of actions
    component_data, corrections                 its data file, and an owner's corrected one
    loaded                                      a game's modules in one build
    kernels                                     loops over any game's rules
    workspaces                                  the arrays that kernels are called with
    english, rich_text, svg, memoize            what games write words and draw pictures with

It imports `engine` and what is below it.
"""
