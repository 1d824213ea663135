"""Which words of a line are a key (issue 4 item 4, R-ALL-5)."""

from __future__ import annotations

import pytest

from orange_jupyter.core.pasted import cell_keys, pasted_keys, without_keys
from tests.core.test_key_sentences import KEYS

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


HEX = KEYS["hex"]


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize(
    "line",
    [
        "model key mine {}",
        "model key mine={}",
        "model key {}",
        "model use {}",
        "model test <{}>",
        "model add x --model={}",
        "modle key mine {}",
        "modell kye mine {}",
        "my key is {}",
        "{}",
        "status {}",
        "model add z --base-url http://h/v1?subscription-key={}",
        "model add z --base-url=http://h/v1?a=1&code={}#x",
        "model add z --base-url http://h/{}/v1",
    ],
)
def test_a_key_of_any_form_is_taken_out(line: str, kind: str) -> None:
    """R-ALL-5: quoted, bracketed, after =, in an address, on a mistyped line."""
    whole = line.format(KEYS[kind])
    assert pasted_keys(whole.split())
    assert KEYS[kind] not in without_keys(whole, pasted_keys(whole.split()))


@pytest.mark.parametrize(
    "line",
    [
        f"session use {HEX}",
        f"kb add /data/{HEX} --name a",
        f"show tr_q7jx3m2kd5wvyh4a s_q7jx3m2kd5wvyh4a {HEX}",
        f"sesion rename {HEX}",
        f"model add m --gguf ~/.cache/hub/snapshots/{HEX}/qwen3-4b-q4_k_m-00001-of-00003.gguf",
        f"model add m --base-url https://h/v1 --model owner/name:{HEX}",
        f"model add m --base-url https://api.cloudflare.com/client/v4/accounts/{HEX}/ai/v1 --model @cf/a",
        f"model add m --base-url https://gateway.ai.cloudflare.com/v1/{HEX}/mine/openai",
        "model add m --base-url https://h.example/openai/deployments/gpt-4o?api-version=2024-10-21",
        "model add qwen3:8b --model Meta-Llama-3.1-8B-Instruct-Q4_K_M-2024-07-18",
        "model key mine",
    ],
)
def test_names_paths_and_ids_stay(line: str) -> None:
    assert pasted_keys(line.split()) == ()


def test_a_cells_line_keeps_its_files_and_loses_its_keys() -> None:
    """R-ALL-5."""
    assert cell_keys(f"--model {HEX} --kb {HEX[::-1]} --new".split()) == (HEX,)
    assert cell_keys(f"--image {HEX}.png --session=notes --model mine".split()) == ()


def test_a_short_key_is_masked_as_a_word_alone() -> None:
    """The rest of the cell is the person's: not a letter of it changes."""
    assert without_keys("data = a + ab\n%orange model key mine a", ("a",)) == (
        "data = ⟦masked⟧ + ab\n%orange model key mine ⟦masked⟧"
    )
