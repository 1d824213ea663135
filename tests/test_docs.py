"""The documentation stays true: links lead somewhere, the reference is what the code says, commands are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate import TARGET, reference

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:|#)<?([^)>#]+)>?(?:#[^)]*)?\)")


def test_the_reference_is_what_the_code_says() -> None:
    assert TARGET.read_text(encoding="utf-8") == reference(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


def test_the_first_screen_of_the_readme_has_the_two_commands() -> None:
    first = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20])
    assert "make demo" in first
    assert "make test" in first


def test_the_readme_names_the_licence_of_pymupdf() -> None:
    assert "AGPL" in (ROOT / "README.md").read_text(encoding="utf-8")
