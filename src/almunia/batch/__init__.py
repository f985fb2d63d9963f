"""Many sessions of a game at a time, for learners: one call steps them all.

batch, buffers                              the batch, and its arrays
rewards                                     the conventions that every environment shares
opponents, python_opponents                 who else plays, within the loop and outside it
cuda, cuda_batch, ptx_cache, kernels        the same on a graphics processor
"""
