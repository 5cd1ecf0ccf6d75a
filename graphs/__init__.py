"""The methods as LangGraph state machines: a table of edges and the routers between them."""
