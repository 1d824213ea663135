"""Models: OpenAI-compatible servers, the embedded default, the scripted fake."""
