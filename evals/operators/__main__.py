"""`python -m trivium.evals.operators`."""

from trivium.evals.operators import main

raise SystemExit(main())
