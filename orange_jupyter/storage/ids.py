"""Ids that are unique across machines: a prefix and 80 random bits in base32."""

from __future__ import annotations

import base64
import secrets
from typing import Final

BODY: Final = "[a-z2-7]{16}"
"""Regular expression of what follows the prefix."""


def new_id(prefix: str) -> str:
    """`prefix` and 16 lower-case base32 characters, for instance `s_q7jx3m2kd5wvyh4a`."""
    return prefix + base64.b32encode(secrets.token_bytes(10)).decode("ascii").lower()
