"""API keys: where they come from, where they are kept, what is shown."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from orange_jupyter.core.errors import ConfigError, UsageError
from orange_jupyter.core.masking import Masker
from orange_jupyter.storage.keys import Keys, Source, system_ring

KEY = "abcdefgh-1234-WXYZ"


class BoxRing:
    """A keyring that is a dictionary; a locked one keeps nothing."""

    def __init__(self, *, locked: bool = False) -> None:
        self.kept: dict[str, str] = {}
        self.locked = locked

    def get(self, name: str) -> str | None:
        return None if self.locked else self.kept.get(name)

    def set(self, name: str, value: str) -> bool:
        if not self.locked:
            self.kept[name] = value
        return not self.locked

    def delete(self, name: str) -> bool:
        return self.kept.pop(name, None) is not None


def test_a_key_goes_to_the_keyring_where_there_is_one(home: Path) -> None:
    """R-MOD-2."""
    ring = BoxRing()
    keys = Keys(home, {}, ring=ring)
    assert keys.set("gpt", f"  {KEY}\n") is Source.KEYRING
    assert ring.kept == {"gpt": KEY}
    assert not (home / "keys.toml").exists()
    found = keys.find("gpt")
    assert found is not None
    assert (found.value, found.source, found.tail) == (KEY, Source.KEYRING, "…WXYZ")
    assert keys.delete("gpt")
    assert not keys.delete("gpt")
    assert keys.find("gpt") is None


@pytest.mark.parametrize("ring", [None, BoxRing(locked=True)])
def test_without_a_keyring_a_key_lies_in_a_file_of_mode_600(home: Path, ring: BoxRing | None) -> None:
    """R-MOD-2, S04."""
    keys = Keys(home, {}, ring=ring)
    assert keys.set('my "模型" x', KEY) is Source.FILE
    assert keys.set("two", KEY + "2") is Source.FILE
    assert stat.S_IMODE((home / "keys.toml").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    again = Keys(home, {}, ring=None)
    found = again.find('my "模型" x')
    assert found is not None
    assert (found.value, found.source) == (KEY, Source.FILE)
    assert again.delete("two")
    assert again.find("two") is None


def test_a_key_that_moves_to_the_keyring_leaves_the_file(home: Path) -> None:
    Keys(home, {}, ring=None).set("gpt", KEY)
    keys = Keys(home, {}, ring=BoxRing())
    assert keys.set("gpt", KEY + "9") is Source.KEYRING
    assert KEY not in (home / "keys.toml").read_text()


def test_the_environment_comes_first(home: Path) -> None:
    """R-MOD-2."""
    keys = Keys(home, {"MY_KEY": " from-environment-1234 ", "EMPTY": ""}, ring=BoxRing())
    keys.set("gpt", KEY)
    found = keys.find("gpt", "MY_KEY")
    assert found is not None
    assert (found.value, found.source) == ("from-environment-1234", Source.ENVIRONMENT)
    for variable in ("EMPTY", "MISSING", None):
        other = keys.find("gpt", variable)
        assert other is not None
        assert other.source is Source.KEYRING


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_file_that_others_can_read_is_refused(home: Path, mode: int) -> None:
    """S04."""
    keys = Keys(home, {}, ring=None)
    keys.set("gpt", KEY)
    (home / "keys.toml").chmod(mode)
    with pytest.raises(ConfigError, match=f"others can read it \\(mode {mode:03o}\\)") as caught:
        keys.find("gpt")
    assert "chmod 600" in (caught.value.hint or "")


def test_a_broken_key_file_is_named_without_its_content(home: Path) -> None:
    """R-ALL-5, U08."""
    home.mkdir(mode=0o700)
    (home / "keys.toml").write_text(f"[keys]\ngpt = {KEY}\n")
    (home / "keys.toml").chmod(0o600)
    with pytest.raises(ConfigError, match="not valid TOML") as caught:
        Keys(home, {}, ring=None).find("gpt")
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in str(error)
        error = error.__cause__


def test_the_last_four_characters_only_are_shown(home: Path) -> None:
    """R-ALL-5."""
    keys = Keys(home, {"SHORT": "abcd5678"}, ring=None)
    keys.set("gpt", KEY)
    found, short = keys.find("gpt"), keys.find("x", "SHORT")
    assert KEY not in repr(found)
    assert KEY not in str(found)
    assert short is not None
    assert short.tail == "…"


@pytest.mark.parametrize("bad", ["", "  ", "two words", "ключ", "密钥", "a\nb", "a\x00b"])
def test_what_is_no_key_is_refused_without_being_repeated(home: Path, bad: str) -> None:
    with pytest.raises(UsageError) as caught:
        Keys(home, {}, ring=None).set("gpt", bad)
    assert not bad.strip() or bad not in str(caught.value)


def test_every_known_key_is_masked_exactly(home: Path) -> None:
    """R-ALL-5: environment, keyring and file, also of models that are not configured any more."""
    ring = BoxRing()
    Keys(home, {}, ring=None).set("gone", "file-key-0001")
    keys = Keys(home, {"A": "environment-key-1"}, ring=ring)
    keys.set("one", "ring-key-000001")
    secrets = keys.known_secrets({"one": "A", "two": None})
    assert secrets == ("environment-key-1", "file-key-0001", "ring-key-000001")
    assert Masker(secrets).mask("x ring-key-000001 y file-key-0001") == "x ⟦masked⟧ y ⟦masked⟧"


def test_a_machine_without_a_keyring_has_none() -> None:
    """R-MOD-2: the back end `fail` counts as none."""
    assert system_ring() is None
