"""The paper's ablations as commands: `python -m evals.ablations NAME`, or `trivium eval keqing-NAME`."""
