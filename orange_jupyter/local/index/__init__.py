"""Full-text search over the selected knowledge bases: SQLite FTS5 files in the cache folder that follow the disk."""

from orange_jupyter.local.index.library import LocalLibrary

__all__ = ["LocalLibrary"]
