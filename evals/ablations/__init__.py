"""The paper's ablations as commands: `python -m trivium.evals.ablations NAME`, or `trivium eval keqing-NAME`."""
