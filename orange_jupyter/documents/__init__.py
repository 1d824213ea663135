"""Parsers of untrusted files, one file a format; they run in killable worker processes."""
