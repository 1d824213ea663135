"""A key of no known shape in an ordinary sentence, and ordinary sentences without one (R-ALL-5, S01)."""

from __future__ import annotations

import json
import random
import string
import time

import pytest

from orange_jupyter.core.looks import looks_random
from orange_jupyter.core.masking import MASK, Masker
from orange_jupyter.core.shapes import secret_spans

HEX = "3f9a0c71e5b84d26a7f01c9e8b35d472"
MIXED = "q7Rt2LmX9vKc4NpZ8wYb1HdS6fJg3TaE"
# Put together from pieces, so that no scanner takes this file for a leak.
KEYS = {
    "hex": HEX,
    "letters and digits": MIXED,
    "zhipu": HEX + "." + MIXED[:16],
    "uuid": "8c1f0b6e-52d7-4a93-b0e4-7d9a61c3f258",
    "together": "tgp_" + "v1_" + MIXED + "_" + MIXED[:10],
    "fireworks": "fw_" + MIXED[:24],
    "cerebras": "csk-" + HEX + HEX[:16],
    "replicate": "r8_" + MIXED + MIXED[:5],
    "google": "AQ" + "." + "Ab8RN6" + MIXED + "-" + MIXED[:12],
    "qianfan": "bce-v3" + "/ALTAK-" + MIXED[:21] + "/" + HEX + HEX[:8],
}
SENTENCES = (
    "My api key is {}. What is it?",
    "My API key: {}. Hi",
    "my api key is: {}",
    "My API key is “{}”, what now?",
    "api key：{}",
    "api key：{}。好的",
    "my DeepSeek key is {}",
    "我的 key 是 {}",
    "我的key是{}，好吗",
    "我的密钥 {} 能用吗",
    "这是钥匙：“{}”",
    "DeepSeek 的令牌为「{}」。",
    "my token is {}",
    "my token is\n{}\n",
    "my api key is\r\n\r\n    {}",
    "api key ({})",
    "my key is **{}**",
    "key: <{}>",
    "my key is '{}'!",
    "use this key → `{}`",
    "my api key for DeepSeek is {}",
    "the key for the DeepSeek API: {}",
    "my key (DeepSeek) is {}",
    "here is my api key {}",
    "apikey {}",
    "apiKey {}",
    "accessToken {}",
    "My KEY is {}?",
    "the secret is {};",
    '{{"content": "my key is\\n{}\\n"}}',
    '{{"content": "my key is \\"{}\\""}}',
)
ORDINARY = (
    "the key result is 10.1000/182 and the key paper is 10.1016/j.cell.2019.05.031a1b2c3d4e5f6",
    "The key is 10.1016/s0140-6736a1b2c3d4e5f6a7b8 (a DOI).",
    "the key is in drawer 12; the token count is 123456789012345678901, the primary key is user_id",
    "citation key: vaswani2017attention, key = Smith2024AttentionIsAllYouNeed, key: covid19outbreak2020review",
    "commit 3f9a0c71e5b84d26a7f01c9e8b35d472a1b2c3d4 changed the key; see 8c1f0b6e-52d7-4a93-b0e4-7d9a61c3f258",
    "Key commit: see 3f9a0c71e5b84d26a7f01c9e8b35d472a1b2c3d4",
    "ISBN 978-3-16-148410-0 is the key reference; key: ISBN 978-3-16-148410-0, arXiv:2101.00001v2",
    "key: https://doi.org/10.1038/s41586-020-2649-2, key: data/2024-05-01/run12/ab12cd34/measurements_v2.csv",
    "The token is internationalization-and-localisation-2026-final-version",
    "keyboard q7Rt2LmX9vKc4NpZ8wYb1HdS6fJg3TaE monkey q7Rt2LmX9vKc4NpZ8wYb1HdS6fJg3TaE",
    "the key compound is C21H28N2O5S1P3C4H5O6N7 and the key gene is rs123456789a1b2c3d4",
    "InChIKey: BQJCRHHNABKAKU-KBQPJGBKSA-N; sort key = lambda row: row.measurement_2024_value",
    "密码学的历史 3f9a0c71e5b84d26a7f01c9e8b35d472",
    "key: Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf, key 20240501T120000Z_20240502T130000Z",
)


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_in_a_sentence_is_hidden_and_the_rest_stays(kind: str) -> None:
    """R-ALL-5: full stops, colons, quotes, brackets, line breaks and names between the word and the key."""
    key = KEYS[kind]
    for sentence in SENTENCES:
        text = sentence.format(key)
        assert Masker().mask(text) == sentence.format(MASK), text
        assert [text[start:end] for start, end in secret_spans(text)] == [key], text


@pytest.mark.parametrize("kind", ["together", "fireworks", "cerebras", "replicate", "google", "qianfan"])
def test_a_known_shape_is_hidden_without_a_word_before_it(kind: str) -> None:
    """R-ALL-5, S01."""
    assert Masker().mask(f"and {KEYS[kind]}.") == f"and {MASK}."


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_notes_are_left_alone(text: str) -> None:
    """No hash, DOI, ISBN or citation key is hidden where no key is meant."""
    assert Masker().mask(text) == text


def test_nearly_every_key_made_by_chance_looks_so() -> None:
    """R-ALL-5: 32 characters of three alphabets; figures of the rule itself."""
    chance = random.Random(7)
    for alphabet in ("0123456789abcdef", string.ascii_lowercase + string.digits, string.ascii_letters + string.digits):
        keys = ["".join(chance.choices(alphabet, k=32)) for _ in range(2_000)]
        assert sum(map(looks_random, keys)) > 1_970, alphabet


def test_masking_such_a_sentence_twice_changes_nothing_more() -> None:
    once = Masker().mask("".join(sentence.format(HEX) + "\n" for sentence in SENTENCES))
    assert Masker().mask(once) == once
    document = json.dumps({"content": f'my key is\n"{HEX}"'})
    assert json.loads(Masker().mask(document)) == {"content": f'my key is\n"{MASK}"'}


EVIL = ("key ", "key key-", "key is ", "key for a b c ", "key (", "token:", "key" + "-a1" * 80, "密钥", "密钥是的", "key of a.b-c ",
        "key\\n", "key\n\n", "secret a1b2c3d4e5f6g7h8i9j0 ", "key=a1/", "pass", "key for key for ")  # fmt: skip


@pytest.mark.parametrize("piece", EVIL)
def test_no_text_makes_it_slow(piece: str) -> None:
    """R-ALL-5: 400,000 characters, time within a bound that a square would break; processor time."""
    text = piece * (400_000 // len(piece))
    began = time.thread_time()
    Masker().mask(text)
    assert time.thread_time() - began < 2.0
