"""Let a failed assertion of the contract show its values, as those of test files do."""

import pytest

pytest.register_assert_rewrite("tests.contracts.graph_store")
