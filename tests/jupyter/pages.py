"""Plain pages that look like JupyterLab to an output: its CSS variables, its theme attribute, a fake widget model."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SHOTS = Path(__file__).parents[1] / "shots"

LIGHT = {
    "--jp-layout-color0": "#ffffff",
    "--jp-content-font-color0": "#000000",
    "--jp-content-font-color1": "rgba(0, 0, 0, 0.87)",
    "--jp-content-link-color": "#0d47a1",
    "--jp-brand-color1": "#1976d2",
    "--jp-brand-color2": "#64b5f6",
}
DARK = {
    "--jp-layout-color0": "#111111",
    "--jp-content-font-color0": "#ffffff",
    "--jp-content-font-color1": "rgba(255, 255, 255, 1)",
    "--jp-content-link-color": "#64b5f6",
    "--jp-brand-color1": "#2196f3",
    "--jp-brand-color2": "#64b5f6",
}

FAKE_MODEL = """
window.sent = [];
window.listeners = {};
window.model = {
  values: VALUES,
  get(name) { return this.values[name]; },
  set(name, value) { this.values[name] = value; },
  on(name, call) { (window.listeners[name] ||= []).push(call); },
  off(name, call) { window.listeners[name] = (window.listeners[name] || []).filter((one) => one !== call); },
  send(message) { if (window.broken) throw new Error("closed"); window.sent.push(message); },
  save_changes() {},
};
window.deliver = (message) => (window.listeners["msg:custom"] || []).forEach((call) => call(message));
window.emit = (name) => (window.listeners[name] || []).forEach((call) => call());
"""


def document(body: str, *, dark: bool = False, script: str = "") -> str:
    """A whole HTML page with Lab's theme variables."""
    variables = ";".join(f"{name}:{value}" for name, value in (DARK if dark else LIGHT).items())
    theme = "false" if dark else "true"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Output</title>'
        f"<style>:root{{{variables}}}body{{margin:0;padding:12px;background:var(--jp-layout-color0);color:var(--jp-content-font-color1)}}</style></head>"
        f'<body data-jp-theme-light="{theme}"><main><h1>Notebook</h1><h2>Output</h2>{body}</main>{script}</body></html>'
    )


def controls_document(esm: str, css: str, values: dict[str, Any], *, dark: bool = False) -> str:
    """A page that imports the front end as Lab would, with a fake model."""
    code = base64.b64encode(esm.encode()).decode()
    script = (
        f"<script>{FAKE_MODEL.replace('VALUES', json.dumps(values).replace('<', chr(92) + 'u003c'))}</script>"
        f'<script type="module">import widget from "data:text/javascript;base64,{code}";'
        "window.end = widget.render({model: window.model, el: document.getElementById('here')});"
        "window.ready = true;</script>"
    )
    return document(f'<style>{css}</style><div id="here"></div>', dark=dark, script=script)


def shoot(page: Page, name: str) -> None:
    """Keep a picture of the whole page for a person to look at."""
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)
