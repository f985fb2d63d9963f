"""How kernel source runs: as checked Python, or as machine code through Numba. It knows no game.

state_dtype                                 the NumPy records that states are
specialize                                  copies of modules whose functions and tables are wrapped
checked, numba, numba_dispatcher            the backends that wrap them
code_hash                                   what machine code depends on, for the cache on disk
compile_progress, pool                      compiling announced, worker threads that can be stopped
kernels                                     random numbers, kept in the state
"""
