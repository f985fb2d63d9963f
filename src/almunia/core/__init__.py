"""The contract of a game's modules, and helpers for their authors. No module here imports a game by name.

    contract, optional                          required members, optional members and their defaults
    options, codes                              options of a play, and codes of actions
    component_data, corrections                 the data file of a game, and an owner's corrected file
    loaded                                      a game's modules in one build
    kernels                                     loops over any game's rules
    workspaces                                  the arrays that kernels are called with
    weights                                     the numbers of a game's evaluations
    english, rich_text, svg, memoize            helpers for words and pictures
    text_view                                   the view of a game without pictures

Modules here import `core`, `engine` and lower layers only.
"""
