"""`python -m trivium.evals.small_graphs`."""

from trivium.evals.small_graphs import main

main()
