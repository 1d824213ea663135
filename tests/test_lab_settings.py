"""The interface follows the language chosen in Lab; without a person, LANG (R-UI-8)."""

from __future__ import annotations

import pytest

from orange_jupyter.app import locale
from orange_jupyter.lab_settings import lab_locale

FILE = "@jupyterlab/translation-extension/plugin.jupyterlab-settings"
CHOSEN = """{
    // Language locale
    // "locale": "de_DE",
    // Set the interface display language.
    "locale": "zh_CN",
    "displayLanguagePackPrompt": false
}"""


def keep(root, text):
    file = root / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (CHOSEN, "zh_CN"),
        ('{"locale": "zh_TW"}', "zh_TW"),
        ('{"locale": "default"}', ""),
        ('{\n  // "locale": "zh_CN"\n}', ""),
        ("{}", ""),
        ("\udcff broken".encode("utf-8", "surrogateescape").decode("latin-1"), ""),
    ],
)
def test_the_locale_is_read_as_lab_writes_it(tmp_path, text, found):
    """R-UI-8: JSON with comments, in any of the places where Lab keeps it."""
    keep(tmp_path / "own", text)
    assert lab_locale({"JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "own")}) == found
    keep(tmp_path / "config" / "lab" / "user-settings", text)
    assert lab_locale({"JUPYTER_CONFIG_DIR": str(tmp_path / "config")}) == found
    keep(tmp_path / "home" / ".jupyter" / "lab" / "user-settings", text)
    assert lab_locale({"HOME": str(tmp_path / "home")}) == found


def test_without_settings_nothing_is_chosen(tmp_path):
    assert lab_locale({"HOME": str(tmp_path)}) == ""


def test_lab_s_language_counts_only_where_a_person_uses_it(tmp_path, monkeypatch):
    """R-UI-8: headless runs and the command line follow LANG."""
    keep(tmp_path, CHOSEN)
    monkeypatch.setenv("JUPYTERLAB_SETTINGS_DIR", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert locale() == "en_GB.UTF-8"
    assert locale(lab=True) == "zh_CN"
    keep(tmp_path, "{}")
    assert locale(lab=True) == "en_GB.UTF-8"
