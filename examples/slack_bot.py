"""A bot in Slack's manner: it is mentioned in a channel, and answers in the thread, with a path that proves it.

SLACK_SIGNING_SECRET=... SLACK_BOT_TOKEN=... python examples/slack_bot.py [PORT [KG]]     events come to /slack/events
"""

import asyncio
import hashlib
import hmac
import json
import os
import re
import sys
import time
import urllib.request
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from trivium import TriviumError, open_kg

given = sys.argv[1:]
port, name = [*given, *["3000", "sample"][len(given) :]]
kg = open_kg(name)
API = os.environ.get("SLACK_API", "https://slack.com/api")
seen: dict[str, float] = {}  # Slack sends an event again where it hears nothing for three seconds
working: set[asyncio.Task[None]] = set()


def is_slacks(request: Request, body: bytes) -> bool:
    """Whether the request is signed with our secret, and not an old one sent again."""
    sent = request.headers.get("x-slack-request-timestamp", "0")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    secret = os.environ["SLACK_SIGNING_SECRET"].encode()
    expected = "v0=" + hmac.new(secret, f"v0:{sent}:".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, request.headers.get("x-slack-signature", ""))


async def events(request: Request) -> Response:
    """Acknowledge at once; answer when there is an answer."""
    body = await request.body()
    if not is_slacks(request, body):
        return PlainTextResponse("not signed", 401)
    told = json.loads(body)
    if told.get("type") == "url_verification":
        return JSONResponse({"challenge": told["challenge"]})
    event = told.get("event", {})
    if event.get("type") == "app_mention" and not event.get("bot_id") and told["event_id"] not in seen:
        seen[told["event_id"]] = time.time()
        for old in [each for each, at in seen.items() if at < time.time() - 3600]:
            del seen[old]
        task = asyncio.create_task(reply(event))
        working.add(task)
        task.add_done_callback(working.discard)
    return PlainTextResponse("")


async def reply(event: dict[str, str]) -> None:
    """The answer, in the thread of the question. Labels are data: Slack's three markup characters are escaped."""
    question = re.sub(r"<@\w+>", "", event["text"]).strip()
    try:
        answer = await kg.aask(question)
        text = answer["answer"].replace(" Evidence", "\nEvidence", 1)
    except TriviumError as error:
        text = str(error)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    said = {"channel": event["channel"], "thread_ts": event.get("thread_ts", event["ts"]), "text": text}
    headers = {"authorization": f"Bearer {os.environ['SLACK_BOT_TOKEN']}", "content-type": "application/json"}
    post = urllib.request.Request(f"{API}/chat.postMessage", json.dumps(said).encode(), headers)
    await asyncio.to_thread(lambda: urllib.request.urlopen(post, timeout=20).close())


@asynccontextmanager
async def answered(app: Starlette):  # noqa: ANN201 - Starlette's lifespan
    """Answers under way are sent before the bot stops."""
    del app
    yield
    await asyncio.gather(*working, return_exceptions=True)


app = Starlette(routes=[Route("/slack/events", events, methods=["POST"])], lifespan=answered)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")
