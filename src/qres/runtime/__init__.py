"""What everything stands on: errors, files, the cache, random streams, cores, memory, processes and JAX itself."""
