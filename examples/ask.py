"""A question from a script or a notebook, and the path that proves each answer.

python examples/ask.py ["QUESTION" [KG]]
"""

import sys

from trivium import ask

given = sys.argv[1:]
question, kg = [*given, *["which films did Douglas Sirk direct?", "sample"][len(given) :]]

answer = ask(question, kg=kg)

print(answer["answer"])
for path in answer["paths"]:
    print(path["answer"], "because", [(t["head"], t["relation"], t["tail"]) for t in path["triples"]])
