"""Credentials that tell themselves by the name before them: password, API key, 密码, and lines of tools. Pure."""

from __future__ import annotations

from typing import Final

from orange_jupyter.core.token_shapes import START, Shape, shape

_VALUE: Final = r"[^\s\"'`\\<>{}()\[\]⟦⟧,;，。；、”’」』]"
_QUOTE: Final = r"\\{0,2}[\"']"
_SCHEMES: Final = r"(?:bearer|basic|token|apikey|digest)"
# What may stand between a key's name and the key, in a sentence, in Markdown, in JSON text: words that link, marks and
# white space, a short word in brackets (all possessive, so no text is gone over twice), and once whom the key is for.
_ATOMS: Final = (
    r"(?:[\s\"'`:=*_~>|<\[{：＝【「『《〈“”‘’，,\u2013\u2014→是为為即的叫-]++|[(（](?:[^()（）\n]{1,19}[)）])?+|\\{1,2}[nrt\"']"
    r"|\\u[0-9a-f]{4}|等于|(?i:is|was|are|it|that|this|here|now|value|called|the|my|our)\b|(?<=[A-Za-z])'s\b){0,16}+"
)
_FOR: Final = r"(?i:(?:for|of|from|to|at|on|with)(?:\s{1,2}[\w.-]{1,30}+(?![\w.-])){1,3})?"
_WORD: Final = r"(?:(?<![A-Za-z0-9]..)|(?<=[Pp][Ii]..)|(?<=[a-z][AKST].)|(?<=\\[nrt]..)|(?<=\\u[0-9a-f]{4}..))"
_RANDOM: Final = (
    rf"{_ATOMS}{_FOR}{_ATOMS}){START}(?P<value>[A-Za-z0-9](?:[A-Za-z0-9_+/=-]|\.(?=[A-Za-z0-9])){{19,255}}+)"
)
_NAMES: Final = (
    r"pass(?:word|wd|phrase|code|wort|(?= ?[:=：] ?[^\s]{8}))",
    r"pwd",
    *(rf"{one}[ _-]?key" for one in ("api", "private")),
    r"secret(?:[ _-]?(?:key|access[ _-]?key))?",
    *(rf"{kind}[ _-]?(?:token|key)" for kind in ("access", "auth", "refresh", "bearer")),
    r"client[ _-]?secret",
    r"token",
)
_SPACE: Final = r"[ \t\xa0\u3000]{0,8}"
_AROUND: Final = rf"(?:[*_`\]“”‘’「『《【]|{_QUOTE}){{0,3}}"
_BELOW: Final = r"(?:(?:[|>][-+]?)?(?:\r\n?|\n)[ \t]{1,12})?"
_IS: Final = (
    r"(?:[:=：＝|→]{1,2}>?|(?<=\s)(?:(?:is|was)(?: now)?(?=[\s:]):?|[-–—](?=\s))|[是为為]|(?<=\s)value ?="
    r"|>(?=[^\s>])|(?<=\s)(?=[^\s:=|-]))"
)
_ENDER: Final = r"[)\]}>,;.:!?*_]{0,4}(?:[\s\"'`|，。；、！？）】」』”’]|\\{1,3}[nrt\"']|</|<br|\Z)"
_SECRET: Final = rf"(?P<named>(?![$%<{{\[(/~⟦])[^\s\"'`\\|⟦⟧]{{6,160}}?)(?={_ENDER})"


def _names() -> str:
    """The names in any case; their first three letters as plain sets, by which `re` skips text four times faster."""
    letters = ({name[at] for name in _NAMES} for at in (0, 1, 2))
    sets = "".join(f"[{''.join(sorted(one | {c.upper() for c in one}))}]" for one in letters)
    return sets + f"(?i:{'|'.join(f'(?<={name[:3]}){name[3:]}' for name in _NAMES)})"


NAMED: Final[tuple[Shape, ...]] = (
    shape("://", r"(?P<keep>://[^\s/:@\"'<>\\]{0,128}+:)(?!⟦masked)[^\s/\"'<>\\]{1,256}(?=@)"),  # user:password@host
    shape(
        "uthorization UTHORIZATION",
        rf"(?i:(?P<keep>authorization{_QUOTE}?\s{{0,4}}[:=]\s{{0,4}}(?:{_QUOTE})?",
        rf"(?:{_SCHEMES}\s{{1,4}})?)(?!{_SCHEMES}\b){_VALUE}{{6,}}+)",
    ),
    shape(
        "earer EARER",
        rf"(?i:(?P<keep>{START}bearer {{1,4}}))",
        r"(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{16,}+",
    ),
    shape(  # NAME=value, upper case
        "TOKEN SECRET PASS _PWD CRED API",
        r"(?P<keep>(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|CREDENTIALS?|API_?KEY)(?:_[A-Z0-9_]{1,40}+)?",
        rf"{_QUOTE}? {{0,4}}[=:] {{0,4}}(?:{_QUOTE})?)(?![$%]){_VALUE}{{6,}}+(?![(\[])",
    ),
    shape("_KEY", rf"(?P<keep>_KEY{_QUOTE}? ?[=:] ?(?:{_QUOTE})?)(?=[^\s\d]{{0,200}}+\d){_VALUE}{{12,}}+(?![(\[])"),
    shape(  # a secret's name and its value: in quotes; else alone on a line, in a cell, before a comment, in a sentence
        "= : ： ＝ | is 是 为 為 - → assw ASSW pwd",
        rf"(?P<name>{_names()})(?:{_QUOTE}?\s{{0,4}}[:=]\s{{0,4}}{_QUOTE}(?P<quoted>[^\s\"'\\⟦⟧]{{4,}}+)",
        rf"|(?: ?[(（][^()（）\r\n]{{1,20}}[)）])?{_AROUND}{_SPACE}{_IS}{_SPACE}{_BELOW}{_AROUND}{_SPACE}",
        rf"{_SECRET})",
    ),
    shape(  # a key's name and a long value in a sentence: my API key is …
        "key Key KEY token Token",
        rf"(?P<keep>[AaSs][CcEePpUu](?=[CcIiTt]){_WORD}(?i:(?<=ap)i|(?<=se)cret|(?<=ac)cess|(?<=au)th)",
        r"(?i:[ _-]?(?:key|token) {0,2}(?:[:=：＝]|is\b|是|为) {0,2}[\"'`]?))",
        r"(?=[A-Za-z_-]{0,64}[0-9])(?=[0-9_-]{0,64}[A-Za-z])(?P<long>[A-Za-z0-9_-]{20,}+)(?!\.?[A-Za-z0-9_-])",
    ),
    shape(  # a key's name, then what looks random; its first letters as plain sets, as in _names
        "key Key KEY token Token TOKEN secret Secret SECRET",
        rf"(?P<keep>[KkTtSs][EeOo](?=[CcKkYy]){_WORD}(?i:(?<=ke)y|(?<=to)ken|(?<=se)cret)s?(?![A-Za-z0-9])",
        _RANDOM,
    ),
    shape(
        "密码 密碼 口令 密钥 密鑰 密匙 秘钥 秘鑰 令牌 钥匙",
        r"(?P<keep>(?:[密秘][码碼钥鑰匙]|口令|令牌|钥匙)",
        _RANDOM,
    ),
    shape(
        "密码 密碼 口令 密钥 密鑰 秘钥 令牌",
        r"(?P<keep>(?:密码|密碼|口令|密钥|密鑰|秘钥|令牌)[ \t]{0,4}(?:[:：=＝]|[是为為] ?[:：]?)[ \t]{0,4}`?)",
        r"[!#-&(-;=-\[\]-_a-~]{4,128}+",
    ),
    shape(  # the same without a colon: 账号 … 密码 …, and in tables
        "密码 密碼 口令 密钥 密鑰 秘钥 令牌 パスワード 비밀번호",
        r"(?P<name>[密口秘令パ비](?:(?<=[密秘])[码碼钥鑰]|(?<=口)令|(?<=令)牌|(?<=パ)スワード|(?<=비)밀번호))",
        r"(?: ?[(（][^()（）\r\n]{1,20}[)）])?",
        rf"(?=[^\u4e00-\u9fff，。、；！？]|[就改是为為]){_AROUND}(?:就是|改[成为為])?",
        rf"[ \t\xa0\u3000:：=＝|→是为為-]{{0,8}}{_AROUND}(?=[A-Za-z0-9!@#^&+.?_-]){_SECRET}",
    ),
    shape("AccountKey= AccessKey=", r"(?P<keep>(?:Account|SharedAccess)Key=)[A-Za-z0-9+/=]{16,}+"),  # Azure
    shape(":543 :*:", r"(?P<keep>:(?:543\d|\*):[\w*.-]{1,64}+:[\w*.@-]{1,64}+:)[^\s:⟦⟧]{4,}+"),  # .pgpass
    shape(  # curl -u user:password
        "curl",
        r"(?P<keep>curl\b[^\r\n]{0,160}?\s(?:-u ?|--user[ =])[\"']?(?![0-9]+:[0-9]+\b)[^\s:\"'$⟦]{1,64}+:)(?![$⟦])",
        r"[^\s\"'\\]{4,}+",
    ),
    shape(  # -p of programs that take a password there
        "sshpass mysql docker",
        r"(?P<keep>(?:sshpass -p ?|mysql(?:dump|admin)?\b[^\r\n]{0,160}?\s-p(?=\S)|docker login\b[^\r\n]{0,160}?\s-p )",
        r"[\"']?)(?![$⟦])[^\s\"'\\]{4,}+",
    ),
    shape(  # ?token= of Jupyter, keys in addresses
        "token= key= sig= signature= auth=",
        r"(?P<keep>[?&](?:access_|auth_|api_?)?(?:token|key|sig|signature|auth)=)[^\s&#\"'<>\\⟦⟧]{8,}+",
    ),
)
