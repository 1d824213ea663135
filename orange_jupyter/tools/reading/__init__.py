"""The parts of `read`: one file a kind of content."""
