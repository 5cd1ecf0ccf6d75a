"""The paper's ablations as commands: `trivium eval keqing-NAME`."""
