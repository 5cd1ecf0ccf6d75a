"""Questions that compute, which the papers leave out: counts, comparisons, extremes, and/or/not over sub-questions.

A question's plain part is decomposed as ever; what is computed on it are typed operators that stand in the same DAG as
the sub-questions (docs/explanation/operators.md, deviation 13).
"""
