"""A scripted OpenAI-compatible server over a real socket: all that a model's server does, on cue."""

from tests.fake_openai.replies import Reply, Script, read_script
from tests.fake_openai.server import FakeOpenAI, Request

__all__ = ["FakeOpenAI", "Reply", "Request", "Script", "read_script"]
