"""`python -m evals.own_graphs`."""

from evals.own_graphs import main

main()
