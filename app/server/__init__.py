"""The LangGraph server: `langgraph.json` names the graphs that it serves (a link to the file at the root)."""
