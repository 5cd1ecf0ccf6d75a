"""Typed query plans: the algebra, its checks, text form and execution, and its translation to Cypher and SPARQL."""
