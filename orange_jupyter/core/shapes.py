"""What credentials look like: anchored shapes, each in time proportional to the text. Pure.

A shape starts at a fixed word, repeats are possessive or bounded, so no text makes it slow (measured in the tests).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from orange_jupyter.core.looks import looks_random

Shape = tuple[tuple[str, ...], re.Pattern[str]]
"""Words of which one must occur in the text, and the pattern; its group `keep` stays, a `value` must look random."""

# Not inside a word; in JSON text a word may follow an escape (`\\n`, `\\u4e2d`) whose last letter is not its own.
_START: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=\\u[0-9a-f]{4}))"
_VALUE: Final = r"[^\s\"'`\\<>{}()\[\]⟦⟧,;]"
_QUOTE: Final = r"\\{0,2}[\"']"
_SCHEMES: Final = r"(?:bearer|basic|token|apikey|digest)"
_BREAK: Final = r"(?:\s|\\[nr])*+"
# What may stand between a key's name and the key, in a sentence, in Markdown, in JSON text: words that link, marks and
# white space, a short word in brackets (all possessive, so no text is gone over twice), and once whom the key is for.
_ATOMS: Final = (
    r"(?:[\s\"'`:=*_~>|<\[{：＝【「『《〈“”‘’，,\u2013\u2014→是为為即的叫-]++|[(（](?:[^()（）\n]{1,19}[)）])?+|\\{1,2}[nrt\"']"
    r"|\\u[0-9a-f]{4}|等于|(?i:is|was|are|it|that|this|here|now|value|called|the|my|our)\b|(?<=[A-Za-z])'s\b){0,16}+"
)
_FOR: Final = r"(?i:(?:for|of|from|to|at|on|with)(?:\s{1,2}[\w.-]{1,30}+(?![\w.-])){1,3})?"
_WORD: Final = r"(?:(?<![A-Za-z0-9]..)|(?<=[Pp][Ii]..)|(?<=[a-z][AKST].)|(?<=\\[nrt]..)|(?<=\\u[0-9a-f]{4}..))"
_RANDOM: Final = (
    rf"{_ATOMS}{_FOR}{_ATOMS}){_START}(?P<value>[A-Za-z0-9](?:[A-Za-z0-9_+/=-]|\.(?=[A-Za-z0-9])){{19,255}}+)"
)
_NAMES: Final = (
    r"pass(?:word|wd|phrase)",
    r"api[_-]?key",
    r"secret(?:[_-]?(?:key|access[_-]?key))?",
    r"private[_-]?key",
    *(rf"{kind}[_-]?(?:token|key)" for kind in ("access", "auth", "refresh", "bearer")),
    r"client[_-]?secret",
)


def _names() -> str:
    """The names in any case; their first two letters as plain sets, by which `re` skips text four times faster."""
    first, second = ({name[at] for name in _NAMES} for at in (0, 1))
    rest = "|".join(f"(?<={name[:2]}){name[2:]}" for name in _NAMES)
    return "".join(f"[{''.join(sorted(one | {c.upper() for c in one}))}]" for one in (first, second)) + f"(?i:{rest})"


def _shape(words: str, *pieces: str) -> Shape:
    return tuple(words.split()), re.compile("".join(pieces))


_TOKENS: Final = (
    _shape("sk-", _START, r"sk-(?:proj|svcacct|admin|None|ant|or|lf)-[A-Za-z0-9_-]{16,}+"),  # OpenAI, Anthropic
    _shape("sk-", _START, r"sk-[A-Za-z0-9]{20,}+"),  # OpenAI, DeepSeek and others that follow them
    _shape("k_live_ k_test_", _START, r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,}+"),  # Stripe
    _shape("ghp_ gho_ ghu_ ghs_ ghr_", _START, r"gh[pousr]_[A-Za-z0-9]{30,}+"),
    _shape("github_pat_", _START, r"github_pat_[A-Za-z0-9_]{30,}+"),
    _shape("glpat-", _START, r"glpat-[A-Za-z0-9_-]{20,}+"),
    _shape("AKIA ASIA AROA", _START, r"(?:AKIA|ASIA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("xox xapp-", _START, r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}+"),  # Slack
    _shape("hooks.slack.com", r"(?P<keep>hooks\.slack\.com/services/)[A-Za-z0-9/_-]{20,}+"),
    _shape("AIza", _START, r"AIza[A-Za-z0-9_-]{35}"),  # Google
    _shape("ya29. GOCSPX-", _START, r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}+"),
    _shape("hf_", _START, r"hf_[A-Za-z0-9]{30,}+"),  # Hugging Face
    _shape("npm_ pypi-", _START, r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}+)"),
    _shape("SG.", _START, r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}+"),  # SendGrid
    _shape("tgp_v1_ csk-", _START, r"(?:tgp_v1_|csk-)[A-Za-z0-9_-]{24,}+"),  # Together, Cerebras
    _shape("fw_ r8_", _START, r"(?:fw_|r8_)(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,}+(?!_)"),  # Fireworks, Replicate
    _shape("AQ.", _START, r"AQ\.(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{30,}+"),  # Google
    _shape("bce-v3/", _START, r"bce-v3/[A-Z]{2,12}-[A-Za-z0-9]{8,64}+/[A-Za-z0-9]{16,}+"),  # Qianfan
    _shape("gsk_ xai- tvly- pplx- nvapi-", _START, r"(?:gsk_|xai-|tvly-|pplx-|nvapi-)[A-Za-z0-9_-]{24,}+"),
    _shape("LTAI AKID", _START, r"(?:LTAI|AKID)[A-Za-z0-9]{16,40}+(?![A-Za-z0-9])"),  # Aliyun, Tencent
    _shape("dop_v1_ dapi", _START, r"(?:dop_v1_|dapi)[0-9a-f]{32,64}+(?![A-Za-z0-9])"),
    _shape("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}+"),
    _shape("eyJ", _START, r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?"),  # JWT
)

_PRIVATE_KEY: Final = _shape(
    "PRIVATE",
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    rf"(?:{_BREAK}(?:[A-Za-z0-9+/=]{{16,}}+|[A-Z][A-Za-z-]{{2,30}}+: [^\n\\]{{0,200}}+))*+",
    rf"(?:{_BREAK}[A-Za-z0-9+/=]{{0,15}}+{_BREAK}-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----)?",
)

_NAMED: Final = (
    _shape("://", r"(?P<keep>://[^\s/:@\"'<>\\]{0,128}+:)(?!⟦masked)[^\s/@\"'<>\\]{1,256}+(?=@)"),  # user:password@host
    _shape(
        "uthorization UTHORIZATION",
        rf"(?i:(?P<keep>authorization{_QUOTE}?\s{{0,4}}[:=]\s{{0,4}}(?:{_QUOTE})?",
        rf"(?:{_SCHEMES}\s{{1,4}})?)(?!{_SCHEMES}\b){_VALUE}{{6,}}+)",
    ),
    _shape(
        "earer EARER",
        rf"(?i:(?P<keep>{_START}bearer {{1,4}}))",
        r"(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{16,}+",
    ),
    _shape(  # NAME=value, upper case
        "TOKEN SECRET PASS _PWD CRED API",
        r"(?P<keep>(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|CREDENTIALS?|API_?KEY)(?:_[A-Z0-9_]{1,40}+)?",
        rf"{_QUOTE}? {{0,4}}[=:] {{0,4}}(?:{_QUOTE})?)(?![$%]){_VALUE}{{6,}}+(?![(\[])",
    ),
    _shape("_KEY", rf"(?P<keep>_KEY{_QUOTE}? ?[=:] ?(?:{_QUOTE})?)(?=[^\s\d]{{0,200}}+\d){_VALUE}{{12,}}+(?![(\[])"),
    _shape(  # a secret's name with a quoted value
        "= :", rf"(?P<keep>{_names()}{_QUOTE}?\s{{0,4}}[:=]\s{{0,4}}{_QUOTE})[^\s\"'\\⟦⟧]{{4,}}+"
    ),
    _shape(  # a secret's name and value alone on a line
        "= :",
        rf"(?im:(?P<keep>^[ \t>*-]{{0,16}}+(?:[\w.-]{{0,40}}[_.-])?(?:{'|'.join(_NAMES)}) ?[:=] ?))",
        rf"(?=[^\s\d]{{0,64}}+\d){_VALUE}{{6,}}+(?=[ \t\r]*$)",
    ),
    _shape(  # a key's name and a long value in a sentence: my API key is …
        "key Key KEY token Token",
        rf"(?P<keep>[AaSs][CcEePpUu](?=[CcIiTt]){_WORD}(?i:(?<=ap)i|(?<=se)cret|(?<=ac)cess|(?<=au)th)",
        r"(?i:[ _-]?(?:key|token) {0,2}(?:[:=：＝]|is\b|是|为) {0,2}[\"'`]?))",
        r"(?=[A-Za-z_-]{0,64}[0-9])(?=[0-9_-]{0,64}[A-Za-z])[A-Za-z0-9_-]{20,}+(?!\.?[A-Za-z0-9_-])",
    ),
    _shape(  # a key's name, then what looks random; its first letters as plain sets, as in _names
        "key Key KEY token Token TOKEN secret Secret SECRET",
        rf"(?P<keep>[KkTtSs][EeOo](?=[CcKkYy]){_WORD}(?i:(?<=ke)y|(?<=to)ken|(?<=se)cret)s?(?![A-Za-z0-9])",
        _RANDOM,
    ),
    _shape(
        "密码 密碼 口令 密钥 密鑰 密匙 秘钥 秘鑰 令牌 钥匙",
        r"(?P<keep>(?:[密秘][码碼钥鑰匙]|口令|令牌|钥匙)",
        _RANDOM,
    ),
    _shape(
        "密码 密碼 口令 密钥 密鑰 秘钥 令牌",
        r"(?P<keep>(?:密码|密碼|口令|密钥|密鑰|秘钥|令牌)[ \t]{0,4}(?:[:：=＝]|[是为為] ?[:：]?)[ \t]{0,4}`?)",
        r"[!#-&(-;=-\[\]-_a-~]{4,128}+",
    ),
    _shape(  # ?token= of Jupyter, keys in addresses
        "token= key= sig= signature= auth=",
        r"(?P<keep>[?&](?:access_|auth_|api_?)?(?:token|key|sig|signature|auth)=)[^\s&#\"'<>\\⟦⟧]{8,}+",
    ),
)

SHAPES: Final[tuple[Shape, ...]] = (*_TOKENS, _PRIVATE_KEY, *_NAMED)

_LONG: Final = re.compile(r"[A-Za-z0-9_+/=.-]{20}")
"""Without such a run of characters nothing in a text can be a `value`: most notes hold none."""


def replace_shapes(text: str, mask: str) -> str:
    """The text with everything that looks like a credential replaced by `mask`."""

    def replaced(found: re.Match[str]) -> str:
        if not _is_secret(found):
            return found.group()
        return (found.groupdict().get("keep") or "") + mask

    for shape in _fitting(text):
        text = shape.sub(replaced, text)
    return text


def secret_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where the shapes occur, as [start, end) in code points, in order and apart from each other."""
    spans: list[tuple[int, int]] = []
    for shape in _fitting(text):
        for found in filter(_is_secret, shape.finditer(text)):
            kept = found.end("keep") if "keep" in shape.groupindex else found.start()
            spans.append((kept, found.end()))
    return merged(spans)


def _fitting(text: str) -> Iterator[re.Pattern[str]]:
    """The shapes that can occur in a text."""
    long = _LONG.search(text) is not None
    for words, shape in SHAPES:
        if (long or "value" not in shape.groupindex) and any(word in text for word in words):
            yield shape


def _is_secret(found: re.Match[str]) -> bool:
    return "value" not in found.re.groupindex or looks_random(found["value"])


def has_private_key(text: str) -> bool:
    """Whether a PEM private key (also a cut one) stands in the text."""
    return _PRIVATE_KEY[1].search(text) is not None


def merged(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans in order, overlapping ones joined, empty ones left out."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
