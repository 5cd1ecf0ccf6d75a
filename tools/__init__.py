"""One file per tool: its argument schema, its coroutine with a typed result, its JSON for agents."""
