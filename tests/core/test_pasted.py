"""Which words of a line are a key (issue 4 item 4, R-ALL-5)."""

from __future__ import annotations

import pytest

from orange_jupyter.core.pasted import pasted_keys, without_keys

KEY = "sk-proj-9f8e7d6c5b4a392817069f8e7d6c"


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        (f"model key {KEY}", (KEY,)),
        (f"model key mine {KEY}", (KEY,)),
        ("model key mine hunter2", ("hunter2",)),
        ("model key 0123456789abcdef0123456789abcdef", ("0123456789abcdef0123456789abcdef",)),
        (f"model add x --key-env {KEY}", (KEY,)),
        (f"{KEY}", (KEY,)),
        ("model key qwen2.5-coder-7b-instruct", ()),
        ("model key 我的模型", ()),
        ("kb add notes", ()),
        ("session rename 0123456789abcdef0123456789abcdef", ()),
    ],
)
def test_a_key_is_known_by_its_shape_or_its_place(line: str, keys: tuple[str, ...]) -> None:
    assert pasted_keys(line.split()) == keys
    assert not any(key in without_keys(line, keys) for key in keys)
    assert keys or without_keys(line, keys) == line
