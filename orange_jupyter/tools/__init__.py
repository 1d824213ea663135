"""One file a tool; their order in `TOOLS` is the order the model sees."""
