"""Pictures that were shown to a model, as files named by their sha256 under ORANGE_HOME/blobs."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import re
from pathlib import Path
from typing import Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import EvidenceError, StoreError
from orange_jupyter.storage.folders import private_folder, write_private

_ENDINGS: Final = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/gif": ".gif",
    "image/bmp": ".bmp",
}
_SHA256: Final = re.compile("[0-9a-f]{64}")


class FileBlobs:
    """Bytes by content (ports.Blobs). The ending follows the media type, so that a person can open the file."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "blobs"

    async def put(self, data: bytes, media_type: str) -> str:
        """Keep bytes, mode 0600; returns their sha256 (hex). Raises StoreError."""
        return await asyncio.to_thread(self._put, data, media_type)

    async def get(self, sha256: str) -> bytes:
        """The bytes, checked. Raises EvidenceError invalid_ref, not_available (gone or damaged)."""
        return await asyncio.to_thread(self._get, sha256)

    def _put(self, data: bytes, media_type: str) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        try:
            folder = private_folder(private_folder(self._folder) / sha256[:2])
            file = folder / (sha256 + _ENDINGS.get(media_type, ".bin"))
            if not file.exists() or file.stat().st_size != len(data):
                write_private(file, data)
        except OSError as problem:
            full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
            what = "The disk is full" if full else problem.strerror
            raise StoreError(
                f"{what}: a picture could not be kept in {self._folder}.",
                hint="Free some space and send the message again." if full else "Look at the folder's rights.",
            ) from problem
        return sha256

    def _get(self, sha256: str) -> bytes:
        if not _SHA256.fullmatch(sha256):
            raise EvidenceError(Code.INVALID_REF, "This is not the id of a kept picture (64 hexadecimal digits).")
        for file in sorted((self._folder / sha256[:2]).glob(f"{sha256}.*")):
            data = file.read_bytes()
            if hashlib.sha256(data).hexdigest() == sha256:
                return data
        raise EvidenceError(Code.NOT_AVAILABLE, f"The picture {sha256[:12]}… is not kept any more.")
