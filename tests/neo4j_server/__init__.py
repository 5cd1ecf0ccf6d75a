"""A real Neo4j server on this machine without Docker: for the tests, and to try Trivium on one (`make neo4j`)."""
