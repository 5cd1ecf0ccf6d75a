"""`python -m trivium`: the command line."""

from __future__ import annotations

from trivium.app.cli.main import main

if __name__ == "__main__":
    main()
