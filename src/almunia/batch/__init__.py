"""Many sessions of a game, stepped by one call, for learners.

batch, buffers                              the batch, and its arrays
rewards                                     the conventions that every environment shares
opponents, python_opponents                 opponents within the loop, and in Python
cuda, cuda_batch, ptx_cache, kernels        the same on a GPU
"""
