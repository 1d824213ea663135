"""A secret on a line of its own, in a cell, in a list: hidden on every line of a text (R-ALL-5, R-READ-15, S01)."""

from __future__ import annotations

import itertools
import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orange_jupyter.core.masking import Masker, mask_file
from orange_jupyter.core.shapes import secret_spans

VALUE = "hunter2222"
NAMES = (
    "password", "Password", "DB_PASSWORD", "db.password", "userPassword", "passwd", "passphrase", "pwd", "api_key", "API key",
    "api-key", "apiKey", "secret", "client_secret", "clientSecret", "secret_key", "aws_secret_access_key", "access_token",
    "refresh_token", "token", "private_key",
)  # fmt: skip
FORMS = (
    "{}: {}", "{}:{}", "{} : {}", "{}={}", "{} = {}", "{}：{}", '{}: "{}"', "{}: '{}'", "{}: `{}`", '"{}": "{}",',
    "'{}': '{}'", "{}: {} # the new one", "{}: {}  // new", "{}={} ; new", "{}: {},", "{}: {};", "| {} | {} |",
    "| {} | `{}` | text |", "| x | {}: {} | y |", "- {}: {}", "* {} = {}", "1. {}: {}", "  - **{}:** {}", "**{}**: {}",
    "`{}`: `{}`", "    {}: {}", "\t{}: {}", "> {}: {}", "> > - {}: {}", "export {}={}", "export {}='{}'", "set {}={}",
    "const {} = {};", "{} := {}", "{} => {}", "{{{}: {}}}", "<td>{}: {}</td>", "{}: {}<br>", "# {}: {}", "{} (root): {}",
    "Login: bob, {}: {}", "{} is {}", "{} is “{}”.", "my {} is {}.", "{}: {}   ", "{} - {}", "({}: {})", "{}: {}。", "{}为{}",
)  # fmt: skip
CHINESE = ("密码：{}", "密码: {}", "密码为 {}", "密码 {}", "口令：{}", "口令 {}", "- 密码：`{}`", "账号 bob 密码 {}", "用户名：bob，密码：{}。", "> 密码：{}", "| 密码 | {} |",
           "令牌：{}", "密钥={}", "密码（服务器）：{}")  # fmt: skip
PROSE = (
    "password: see the safe", "Password: (leave empty)", "password: required", "Passwords are hashed with sha256", "Password: 8-16 characters",
    "password: 12 letters or more", "the password is sha256-hashed", "password: argon2id", "password: str | None", "password: varchar(64)",
    "password = get_password(1)", 'password = os.environ["PASSWORD_1"]', "password: $DB_PASSWORD1", "password: ${PW1}", "password: {{ pw1 }}",
    "password: <your-password-1>", "password: [the safe](https://example.com/1)", "pwd: /home/me/project1", "pwd = ~/notes/2024",
    "token: a unit of text", "token: 50256", "max_tokens: 4096", "token: word2vec", "tokens: gpt2, bert4", "The token is GPT-4 style",
    "token = tokens[1]", "next_token = cls.process(tdef[1])", "token: 2026-11-30", "the secret is 10-minute breaks", "secret: none",
    "The secret is 2024 experiments", "secret: 10.1038/s41586-020-2649-2", "token: arXiv:2101.00001v2", "secret: https://example.com/page1",
    "commit 3f9a0c71e5b84d26a7f01c9e8b35d472a1b2c3d4", "id: 8c1f0b6e-52d7-4a93-b0e4-7d9a61c3f258", "doi: 10.1038/s41586-020-2649-2",
    "ISBN: 978-3-16-148410-0", "arXiv: 2101.00001v2", "date: 2026-11-30", "key: vaswani2017attention", "key = user_id1",
    "## API key: how to get one", "# Password: what to choose", "## Token: 10 ways", "| Name | Password | Token |", "| password | string | required |",
    "| token | yes | 2024 |", "private_key: PKCS7PrivateKeyTypes", "private key: RSA2048", "api_key: rust_openssl.hpke.Key1",
    "密码学的历史 2024", "密码 sha256 算法", "密码: ", "口令 2024 年", "请输入密码", "令牌桶算法 token2 bucket", "忘记密码 见 reset2024.md", "密码 AES256 加密", "docker run -u 1000:1000 x", "curl -u $USER:$PASS x", "mysql -p db", "the password manager of 2024",
    "令牌](../security/oauth2-jwt.md)", "the password field2", "pass `escaping=allow-utf-8` in", "密码 | 说明 | 2024",
)  # fmt: skip
ENDS = ("\n", "\r\n", "\r")


def _lines() -> list[str]:
    named = [form.format(name, VALUE) for form, name in itertools.product(FORMS, NAMES)]
    return named + [form.format(VALUE) for form in CHINESE]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(("before", "after"), [("", "port 22"), ("# Server", "port 22"), ("# Server", ""), ("", "")])
def test_a_named_value_is_hidden_on_every_line(before: str, after: str, end: str) -> None:
    """R-ALL-5, S01: the first, a middle, the last line, and the only one; LF, CRLF, CR; the rest of the text stays."""
    for line in _lines():
        text = end.join(one for one in (before, line, after) if one) + (end if after else "")
        spans = secret_spans(text)
        assert len(spans) == 1, text
        shown = mask_file("a.md", text).shown
        assert shown == text.replace(VALUE, "⟦masked:1⟧"), text
        assert Masker().mask(shown) == shown


AROUND = st.lists(
    st.sampled_from(
        ["# A", "port 22", "", " ", "> q", "- x", "| a | b |", "```", "a: b", "文字", "\u2028", "'", '"', "\\"]
    )
)


@given(AROUND, st.sampled_from(_lines()), AROUND, st.sampled_from(ENDS))
@example(["# Server"], "password: hunter2222", ["port 22"], "\n")
def test_a_named_value_is_hidden_whatever_stands_before_and_after(
    before: list[str], line: str, after: list[str], end: str
) -> None:
    """R-ALL-5, R-READ-15: also in JSON, as in every result of a tool; and the text may grow behind it (R-EDIT-6)."""
    text = end.join([*before, line, *after])
    assert VALUE not in mask_file("a.md", text).shown
    assert VALUE not in Masker().mask(text)
    whole = Masker().mask(json.dumps({"content": text}, ensure_ascii=False))
    assert VALUE not in whole
    json.loads(whole)
    grown = text + end + "more" + end
    assert VALUE not in mask_file("a.md", grown).shown


@pytest.mark.parametrize("line", PROSE)
def test_lines_that_hold_no_secret_stay_readable(line: str) -> None:
    """No method, type, date, DOI, hash, number, code or placeholder is hidden behind such a name."""
    for end in ENDS:
        text = end.join(["# A", line, "b"])
        assert mask_file("a.md", text).shown == text
    assert mask_file("a.md", line).shown == line


VALUES = (
    "hunter22",
    "Tr!ckyPass",
    "aB3!x(9Z&q",
    "123456",
    "p@ss-w0rd",
    "x7,Kq;9p",
    "correct-horse-9",
    "a1b2c3.d4e5",
    "n0t=eq",
)


@pytest.mark.parametrize("value", VALUES)
def test_passwords_of_many_kinds_are_hidden_whole(value: str) -> None:
    """R-ALL-5: signs, commas and brackets inside belong to the value."""
    for text in (
        f"a\npassword: {value}\nb\n",
        f"- Password = {value}\r\n- b",
        f"passwd={value}",
        f"| pwd | {value} |\n",
    ):
        assert mask_file("a.md", text).shown == text.replace(value, "⟦masked:1⟧")


TOOLS = (
    "curl -u bob:{} https://x.example/a", "curl -sS --user 'bob:{}' https://x", "wget --http-password {} x", "mysql -u root -p{} db",
    "sshpass -p '{}' ssh x", "docker login -u bob -p {}", "db.example:5432:notes:bob:{}", "*:*:*:bob:{}", "PGPASSWORD={} psql",
    "machine x.example login bob password {}", "postgres://bob:{}@db/notes", "postgres://bob:p@{}@db/notes", "redis://:{}@x:6379",
    "jdbc:mysql://db/x?user=bob&password={}", "Server=x;User Id=bob;Password={};Encrypt=true", "http://localhost:8888/?token={}",
    "AccountName=a;AccountKey={}abcdefgh12==;E=x", "jupyter lab --IdentityProvider.token='{}'", "c.ServerApp.token = '{}'",
    "aws_access_key_id = x\naws_secret_access_key = {}", '{{"client_secret": "{}", "token_type": "x"}}', "login bob password {}", "password\t{}",
    "<password>{}</password>", '<add key="password" value="{}"/>', "password: |\n  {}", "password:\n  {}", "password:\u3000{}", "--password {}",
    "密码就是 {}", "密码改成{}", "初始密码{}", "パスワード：{}", "the new password is now {}", "//registry.npmjs.org/:_authToken={}", "X-API-Key: {}",
)  # fmt: skip


@pytest.mark.parametrize("line", TOOLS)
def test_lines_of_tools_and_settings_hide_their_secret(line: str) -> None:
    """R-ALL-5, S01: what is pasted into notes: commands, addresses, connection strings, files of settings."""
    for end in ENDS:
        text = end.join(["# A", *line.format(VALUE).split("\n"), "b", ""])
        shown = mask_file("a.md", text).shown
        assert VALUE not in shown
        assert shown.endswith(f"{end}b{end}")
        assert Masker().mask(shown) == shown


EVIL = ("password: ", "password: a1", "token - ", "pwd|", "password (", "密码 ", "password: a1b2c3d", 'password"', "api_key:`", "password:\\n",
        "pas", "tok", "password: x1;", "password=a&", "secret is is ", "curl ", "mysql ", "mysql -", ":*:a", "://a:b", "password:\n ")  # fmt: skip


@pytest.mark.parametrize("piece", EVIL)
def test_no_line_makes_it_slow(piece: str) -> None:
    """R-ALL-5: 400,000 characters, time within a bound that a square would break; processor time."""
    text = piece * (400_000 // len(piece))
    began = time.thread_time()
    mask_file("a.md", text)
    assert time.thread_time() - began < 2.0
