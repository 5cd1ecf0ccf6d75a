"""`python -m trivium.evals.bench` (`make bench`): speed, each figure beside a yardstick that the same run measured."""
