"""A chat client of the server: a message, a message with its evidence, a second turn on the thread.

python examples/chat_client.py [URL ["QUESTION" ...]]     after `make serve` in another terminal
"""

import sys

from langgraph_sdk import get_sync_client

url, *questions = sys.argv[1:] or ["http://127.0.0.1:2024"]
questions = questions or ["who directed Written on the Wind?", "which films star Rock Hudson?"]

with get_sync_client(url=url) as client:
    thread = client.threads.create()["thread_id"]
    for question in questions:
        asked = {"messages": [{"role": "user", "content": question}]}
        for part in client.runs.stream(thread, "keqing", input=asked, stream_mode="tasks"):
            if part.event == "tasks" and "input" in part.data:
                print(f"  {part.data['name']} ...")
        told = client.threads.get_state(thread)["values"]
        print(told["messages"][-1]["content"])
        print(f"  {len(told['answer']['paths'])} paths, {told['answer']['stop_reason']}")
