"""`python -m trivium.evals.own_graphs`."""

from trivium.evals.own_graphs import main

main()
