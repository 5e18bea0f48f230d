"""The benchmark of `make bench`: qres, its peers and plain differentiation, side by side in one run."""
