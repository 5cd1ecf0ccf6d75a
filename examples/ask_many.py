"""Several questions at once, in async code: what stands between them is the model's time, where there is a model.

python examples/ask_many.py [KG ["QUESTION" ...]]
"""

import asyncio
import sys

from trivium import aask

kg, *questions = sys.argv[1:] or ["sample"]
questions = questions or [
    "who directed Written on the Wind?",
    "Where are both The Call of the Wild and White Fang set?",
]


async def main() -> None:
    """Ask them all, then print each one's answers."""
    for answer in await asyncio.gather(*(aask(question, kg=kg) for question in questions)):
        print(answer["question"], "->", ", ".join(found["label"] for found in answer["answers"]) or "nothing found")


asyncio.run(main())
