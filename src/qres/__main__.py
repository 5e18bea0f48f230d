"""`python -m qres`: the command line."""

from qres.cli import main

main()
