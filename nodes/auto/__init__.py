"""The router's own stages: `plan_methods` and `judge_answer`."""
