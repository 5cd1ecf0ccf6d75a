"""Our routes, gate and probes for Aegra, whose own application has to be FastAPI's (`aegra.json`).

Aegra's routes come beside ours: the gate and the drain stand before all of them.
"""

from __future__ import annotations

from fastapi import FastAPI

from trivium.app.server.gate import Gate
from trivium.app.server.http import lifespan, routes
from trivium.app.server.operations import Drain

app = FastAPI(title="Trivium", routes=list(routes), lifespan=lifespan)
app.add_middleware(Drain)
app.add_middleware(Gate)  # the last that is added is the first that a request passes
