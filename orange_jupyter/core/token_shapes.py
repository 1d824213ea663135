"""Credentials that tell themselves by how they begin: tokens of known services and private keys in PEM. Pure."""

from __future__ import annotations

import re
from typing import Final

Shape = tuple[tuple[str, ...], re.Pattern[str]]
"""Words of which one must occur in the text, and the pattern.

Its group `keep` stays; a `value` must look random, a `named` one as if someone chose it (`core/looks`). Without a long
word in a text nothing in it is a `value` or `long`.
"""

# Not inside a word; in JSON text a word may follow an escape (`\\n`, `\\u4e2d`) whose last letter is not its own.
START: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=\\u[0-9a-f]{4}))"
# Between the lines of a key: line ends, also escaped; marks of quotes, lists, comments and strings in source code.
_BETWEEN: Final = r"(?:[\s>|#*\"',+;-]|\\{1,4}[nrt\"']|//|&gt;|<br ?/?>)"
_BREAK: Final = rf"(?:(?!-----){_BETWEEN})*+"
_HEADER: Final = r"[A-Z][A-Za-z-]{2,30}+: [^\r\n\\\"]{0,200}+"
_END: Final = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"


def shape(words: str, *pieces: str) -> Shape:
    """A shape of words apart by blanks and the pieces of its pattern."""
    return tuple(words.split()), re.compile("".join(pieces))


TOKENS: Final[tuple[Shape, ...]] = (
    shape("sk-", START, r"sk-(?:proj|svcacct|admin|None|ant|or|lf)-[A-Za-z0-9_-]{16,}+"),  # OpenAI, Anthropic
    shape("sk-", START, r"sk-[A-Za-z0-9]{20,}+"),  # OpenAI, DeepSeek and others that follow them
    shape("k_live_ k_test_", START, r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,}+"),  # Stripe
    shape("ghp_ gho_ ghu_ ghs_ ghr_", START, r"gh[pousr]_[A-Za-z0-9]{30,}+"),
    shape("github_pat_", START, r"github_pat_[A-Za-z0-9_]{30,}+"),
    shape("glpat-", START, r"glpat-[A-Za-z0-9_-]{20,}+"),
    shape("AKIA ASIA AROA", START, r"(?:AKIA|ASIA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    shape("xox xapp-", START, r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}+"),  # Slack
    shape("hooks.slack.com", r"(?P<keep>hooks\.slack\.com/services/)[A-Za-z0-9/_-]{20,}+"),
    shape("AIza", START, r"AIza[A-Za-z0-9_-]{35}"),  # Google
    shape("ya29. GOCSPX-", START, r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}+"),
    shape("hf_", START, r"hf_[A-Za-z0-9]{30,}+"),  # Hugging Face
    shape("npm_ pypi-", START, r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}+)"),
    shape("SG.", START, r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}+"),  # SendGrid
    shape("tgp_v1_ csk-", START, r"(?:tgp_v1_|csk-)[A-Za-z0-9_-]{24,}+"),  # Together, Cerebras
    shape("fw_ r8_", START, r"(?:fw_|r8_)(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,}+(?!_)"),  # Fireworks, Replicate
    shape("AQ.", START, r"AQ\.(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{30,}+"),  # Google
    shape("bce-v3/", START, r"bce-v3/[A-Z]{2,12}-[A-Za-z0-9]{8,64}+/[A-Za-z0-9]{16,}+"),  # Qianfan
    shape("gsk_ xai- tvly- pplx- nvapi-", START, r"(?:gsk_|xai-|tvly-|pplx-|nvapi-)[A-Za-z0-9_-]{24,}+"),
    shape("LTAI AKID", START, r"(?:LTAI|AKID)[A-Za-z0-9]{16,40}+(?![A-Za-z0-9])"),  # Aliyun, Tencent
    shape("dop_v1_ dapi", START, r"(?:dop_v1_|dapi)[0-9a-f]{32,64}+(?![A-Za-z0-9])"),
    shape("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}+"),
    shape("eyJ", START, r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?"),  # JWT
)

# From BEGIN to END, if nothing else stands between them; else the lines that look like one, as of a key that was cut.
PRIVATE_KEY: Final = shape(
    "PRIVATE",
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    rf"(?:(?:{_HEADER}|[A-Za-z0-9+/=]++|(?!-----){_BETWEEN})*+{_END}",
    rf"|(?:{_BREAK}(?:[A-Za-z0-9+/=]{{16,}}+|{_HEADER}))*+(?:{_BREAK}[A-Za-z0-9+/]{{0,15}}+={{1,2}})?(?:{_BREAK}{_END})?)",
)
PUTTY_KEY: Final = shape("Private-Lines:", rf"(?P<keep>Private-Lines: \d{{1,4}})(?:{_BREAK}[A-Za-z0-9+/=]{{16,}}+)++")
