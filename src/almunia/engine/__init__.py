"""Backends that run kernel source: as checked Python, or as machine code through Numba. No module here imports a game.

state_dtype                                 the NumPy records of states
specialize                                  copies of modules with wrapped functions and tables
checked, numba, numba_dispatcher            the backends that wrap them
code_hash                                   hashes of code, for the cache on disk
compile_progress, pool                      notices of compiling, worker threads that can be stopped
kernels                                     random numbers from a generator in the state
"""
