"""The Neo4j store: a KG in a database of a server, written by Trivium or a user's own graph as it is."""
