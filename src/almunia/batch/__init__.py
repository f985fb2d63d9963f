"""Batches: many plays of a game that one call steps, for learners.

batch, buffers                         the batch, and its arrays
states                                 states of rows, which other rows and batches can continue
rewards                                the reward conventions of all environments
opponents, python_opponents            opponents in the compiled loop, and outside of it
cuda, cuda_batch, kernels              batches on a GPU
"""
