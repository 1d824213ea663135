"""This machine: files through the KB's directory, the index."""
