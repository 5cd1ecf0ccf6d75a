"""Three graphs as users have them in Neo4j, of different shapes, made by Cypher past Trivium."""

from __future__ import annotations

MOVIES = """
CREATE (matrix:Movie {title: 'The Matrix', released: 1999, tagline: 'Welcome to the Real World',
                      genres: ['action', 'sci-fi']})
CREATE (speed:Movie {title: 'Speed', released: 1994, genres: ['action']})
CREATE (ray:Movie {title: 'Ray', released: 2004})
CREATE (insomnia:Movie {title: 'Insomnia', released: 1999, genres: []})
CREATE (keanu:Person:Actor {name: 'Keanu Reeves', born: 1964, email: 'keanu@example.org'})
CREATE (carrie:Person:Actor {name: 'Carrie-Anne Moss', born: 1967})
CREATE (lana:Person:Director {name: 'Lana Wachowski', born: 1965})
CREATE (jan:Person:Director {name: 'Jan de Bont', born: 1943})
CREATE (lee:Person {name: 'Ray', born: 1930})
CREATE (review:Review {stars: 5})
CREATE (keanu)-[:ACTED_IN {roles: ['Neo'], fee: 10}]->(matrix), (carrie)-[:ACTED_IN {roles: ['Trinity']}]->(matrix),
       (keanu)-[:ACTED_IN]->(speed), (lana)-[:DIRECTED]->(matrix), (jan)-[:DIRECTED]->(speed),
       (lee)-[:ACTED_IN]->(ray), (review)-[:OF]->(matrix), (lana)-[:KNOWS]->(lana), (keanu)-[:KNOWS]->(carrie)
"""

SHOP = """
UNWIND range(1, 6) AS i
CREATE (:Customer {name: 'Customer ' + i, email: 'c' + i + '@example.org', since: date('2020-01-0' + i)})
WITH count(*) AS made
UNWIND [['Lamp', 'p1', 19.5, true], ['Desk', 'p2', 250.0, true], ['Chair', 'p3', 80.0, false]] AS row
CREATE (:Product {product_name: row[0], sku: row[1], price: row[2], stocked: row[3],
                  embedding: [x IN range(1, 16) | 0.1 * x]})
WITH count(*) AS made
MATCH (a:Customer {name: 'Customer 1'}), (b:Customer {name: 'Customer 2'})
MATCH (lamp:Product {sku: 'p1'}), (desk:Product {sku: 'p2'})
CREATE (a)-[:BOUGHT {on: date('2024-05-01'), quantity: 2}]->(lamp),
       (a)-[:BOUGHT {on: date('2024-06-01'), quantity: 1}]->(lamp),
       (b)-[:BOUGHT {quantity: 1}]->(lamp), (b)-[:BOUGHT]->(desk), (a)-[:REFERRED]->(b)
"""

CITATIONS = r"""
CREATE (a:`Research Paper` {`paper title`: 'Attention Is All You Need', year: 2017}),
       (b:`Research Paper` {`paper title`: 'Deep Residual Learning', year: 2016}),
       (c:`Research Paper` {`paper title`: 'Adam: a "method" (for) optimisation', year: 2014}),
       (v:`A\u005Cu0060B``C` {name: 'Vaswani'}), (k:`A\u005Cu0060B``C` {name: 'Kingma'})
CREATE (a)-[:`cites in text`]->(b), (a)-[:`cites in text`]->(c), (b)-[:`cites ``with`` praise`]->(c),
       (a)-[:`written\u005Cu0060]->() by`]->(v), (c)-[:`written\u005Cu0060]->() by`]->(k),
       (a)-[:`it's \u005C here`]->(c)
"""
