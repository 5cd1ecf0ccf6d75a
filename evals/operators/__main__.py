"""`python -m evals.operators`."""

from evals.operators import main

raise SystemExit(main())
