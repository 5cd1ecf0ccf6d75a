"""The path policy (KnowGPT, section 4.1): environment, features, search, training.

`gymnasium.make("trivium.policies.paths:Trivium/PathWalk-v0", kg="DIR")` imports this package and finds the environment
registered. Nothing here imports Gymnasium for those who only search.
"""

import sys

if "gymnasium" in sys.modules:
    from trivium.policies.paths import env  # noqa: F401 - registers the environment
