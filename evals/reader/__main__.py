"""`python -m trivium.evals.reader`: as `trivium eval reader`."""

from trivium.evals.reader import main

raise SystemExit(main())
