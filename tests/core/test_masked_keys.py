"""A private key wherever a note may hold one, and what stands around it (R-ALL-5, R-READ-15, S01)."""

from __future__ import annotations

import json
import textwrap
import time

import pytest

from orange_jupyter.core.masking import MASK, Masker, mask_file

LINE = "MIIEpAIBAAKCAQEA7bq+x/yZ0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3"
BODY = "\n".join([LINE] * 6) + "\nQz0aB1c="
# Put together from pieces, so that no scanner takes this file for a leak.
BEGIN, END = "-----BEGIN {}PRIVATE " + "KEY-----", "-----END {}PRIVATE " + "KEY-----"


def _pem(kind: str = "RSA ", head: str = "") -> str:
    return f"{BEGIN.format(kind)}\n{head}{BODY}\n{END.format(kind)}"


PLACES = {
    "plain": lambda pem: pem,
    "quote": lambda pem: textwrap.indent(pem, "> "),
    "quote without blanks": lambda pem: textwrap.indent(pem, ">"),
    "quote in a quote": lambda pem: textwrap.indent(pem, "> > "),
    "list item": lambda pem: "- " + textwrap.indent(pem, "  ").lstrip(),
    "numbered item": lambda pem: "1. key:\n\n" + textwrap.indent(pem, "       "),
    "fence": lambda pem: f"```pem\n{pem}\n```",
    "fence in a quote": lambda pem: textwrap.indent(f"```\n{pem}\n```", "> "),
    "fence in an item": lambda pem: "- x\n" + textwrap.indent(f"```\n{pem}\n```", "\t"),
    "comment": lambda pem: textwrap.indent(pem, "# "),
    "comment of code": lambda pem: textwrap.indent(pem, "// "),
    "JSON": lambda pem: json.dumps({"a": 1, "private_key": pem + "\n", "b": 2}),
    "JSON in JSON": lambda pem: json.dumps(json.dumps({"private_key": pem})),
    "JSON lines": lambda pem: json.dumps(pem.split("\n"), indent=1),
    "strings of code": lambda pem: "\n".join(f'    "{line}\\n" +' for line in pem.split("\n")),
    "YAML": lambda pem: "key: |\n" + textwrap.indent(pem, "  "),
    "one line": lambda pem: pem.replace("\n", " "),
    "blank lines": lambda pem: pem.replace("\n", "\n\n"),
    "HTML": lambda pem: "<pre>" + pem.replace("\n", "<br>\n") + "</pre>",
    "table": lambda pem: "| key | " + pem.replace("\n", "<br>") + " |",
    "bold list": lambda pem: textwrap.indent(pem, "* "),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_private_key_is_hidden_whole_in_every_place(place: str, newline: str) -> None:
    """R-ALL-5, S01: quotes, lists, JSON, comments; with an end, and cut after any line; one value."""
    for kind in ("RSA ", "", "OPENSSH ", "EC "):
        whole = PLACES[place](_pem(kind))
        text = f"# A\nbefore\n\n{whole}\n\nafter it\n".replace("\n", newline)
        masked = mask_file("a.md", text)
        assert masked.count == 1, text
        assert not any(part in masked.shown for part in (LINE[:16], "Qz0aB1c", "PRIVATE")), masked.shown
        assert masked.shown.startswith(f"# A{newline}before{newline}")
        assert masked.shown.endswith(f"after it{newline}")
        assert LINE[:16] not in Masker().mask(text)
    for lines in range(1, 7):
        cut = PLACES[place]("\n".join(_pem().split("\n")[: 1 + lines])).replace("\n", newline)
        assert LINE[:16] not in mask_file("a.md", f"x{newline}{cut}{newline}after").shown
        assert mask_file("a.md", f"x{newline}{cut}{newline}after").shown.endswith("after")


@pytest.mark.parametrize("place", PLACES)
def test_headers_and_short_lines_belong_to_the_key(place: str) -> None:
    """R-ALL-5: an encrypted key's headers, lines of any width."""
    head = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n"
    masked = mask_file("a.md", f"x\n{PLACES[place](_pem(head=head))}\ny")
    assert (masked.count, "0123456789ABCDEF" in masked.shown, LINE[:16] in masked.shown) == (1, False, False)
    narrow = _pem().replace(LINE, "\n".join(textwrap.wrap(LINE, 11)))
    masked = mask_file("a.md", f"x\n{PLACES[place](narrow)}\ny")
    assert (masked.count, LINE[:11] in masked.shown, LINE[11:22] in masked.shown) == (1, False, False)


def test_other_files_of_keys_are_hidden() -> None:
    """R-ALL-5: PuTTY's and PGP's; a certificate and a text about keys stay."""
    putty = f"PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPublic-Lines: 2\n{LINE}\nPrivate-Lines: 6\n{BODY}\n"
    shown = mask_file("a.md", putty).shown
    assert shown.count(LINE) == 1
    pgp = (
        "-----BEGIN PGP PRIVATE KEY "
        + f"BLOCK-----\nVersion: GnuPG v2\n\n{BODY}\n=aB1c\n-----END PGP PRIVATE KEY "
        + "BLOCK-----"
    )
    assert Masker().mask(f"a\n{pgp}\nb") == f"a\n{MASK}\nb"
    certificate = f"-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----\n"
    assert mask_file("a.md", certificate).shown == certificate
    about = f"A key begins with `{BEGIN.format('')}` (five hyphens). Then come lines in Base64.\n"
    assert mask_file("a.md", about).shown.endswith("(five hyphens). Then come lines in Base64.\n")


@pytest.mark.parametrize(
    "piece", [BEGIN.format("") + "\n", BEGIN.format("") + LINE, BEGIN.format("") + " > ", "- " + BEGIN.format("") + "a"]
)
def test_many_beginnings_do_not_make_it_slow(piece: str) -> None:
    """R-ALL-5: time grows with the text; processor time."""
    for text in (
        piece * (200_000 // len(piece)),
        piece + "> " * 200_000,
        piece + "abc " * 100_000,
        piece + "\\n" * 100_000,
    ):
        began = time.thread_time()
        mask_file("a.md", text)
        assert time.thread_time() - began < 2.0
