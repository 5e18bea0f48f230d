"""Foundations: errors, files, the cache, random streams, cores, memory, processes and JAX itself."""
