"""`make demo`: one question in the terminal, then JupyterLab on the tour; without a terminal, the tour is executed.

Everything it keeps lies in `.demo/`: the person's own settings, sessions and Jupyter configuration are not touched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
DEMO = ROOT / ".demo"
BIN = Path(sys.executable).parent
QUESTION = "How much cooler were the dense streets than the sparse ones in the afternoon?"
FOLDERS = {
    "ORANGE_HOME": "home",
    "ORANGE_CACHE": "cache",
    "JUPYTER_CONFIG_DIR": "jupyter/config",
    "JUPYTER_DATA_DIR": "jupyter/data",
    "JUPYTER_RUNTIME_DIR": "jupyter/runtime",
    "JUPYTERLAB_SETTINGS_DIR": "jupyter/settings",
    "JUPYTERLAB_WORKSPACES_DIR": "jupyter/workspaces",
    "IPYTHONDIR": "ipython",
}
NO_NEWS = {"fetchNews": "false", "checkForUpdates": False}


def environment() -> dict[str, str]:
    """This environment with every state folder inside `.demo/`."""
    DEMO.mkdir(exist_ok=True)
    return os.environ | {name: str(DEMO / part) for name, part in FOLDERS.items()}


def ask(own: dict[str, str]) -> int:
    """Ask one question on the command line; print question, answer and citations. Returns the exit status."""
    command = [str(BIN / "orange-jupyter"), "ask", QUESTION, "--kb", str(NOTEBOOKS / "kb")]
    print(f'$ orange-jupyter ask "{QUESTION}" --kb notebooks/kb\n', flush=True)
    ran = subprocess.run(
        [*command, "--json"], env=own, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False
    )
    turn = json.loads(ran.stdout or "{}")
    if not turn.get("ok"):
        print(turn.get("error", {}).get("message") or f"The question was not answered (status {ran.returncode}).")
        return ran.returncode or 1
    print(turn["answer"])
    print("\nCitations")
    for citation in turn["citations"]:
        page = f", page {citation['page']}" if "page" in citation else ""
        print(
            f"  [{citation['citationId']}] {citation['path']}{page}, characters {citation['start']}–{citation['end']}"
        )
        print(textwrap.indent(textwrap.shorten(citation["passage"], 160, placeholder=" …"), "       "))
    return 0


def execute_tour(own: dict[str, str]) -> int:
    """Run the tour headless into `.demo/tour.ipynb`; the file in the repository stays as it is."""
    os.environ.update(own)
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(NOTEBOOKS / "tour.ipynb", as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(NOTEBOOKS)}})
    client.extra_arguments = ["--log-level=ERROR"]  # the kernel's note on TCP is no news on loopback
    status = 0
    try:
        client.execute()
    except CellExecutionError as error:
        print(error, file=sys.stderr)
        status = 1
    nbformat.write(notebook, DEMO / "tour.ipynb")
    print("The tour failed." if status else "The tour ran without an error: .demo/tour.ipynb")
    return status


def serve(own: dict[str, str]) -> int:
    """JupyterLab on the tour until Ctrl-C. It prints its address with the token; opens a browser where there is one."""
    settings = Path(own["JUPYTERLAB_SETTINGS_DIR"]) / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(NO_NEWS), encoding="utf-8")
    options = [
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={NOTEBOOKS}",
        "--ServerApp.answer_yes=True",
        "--LabApp.default_url=/lab/tree/tour.ipynb",
        "--LabApp.news_url=None",
        "--log-level=WARN",
    ]
    if os.geteuid() == 0:
        options.append("--allow-root")
    if not browser_found():
        options.append("--no-browser")
    print("\nJupyterLab starts; Ctrl-C here ends it.\n", flush=True)
    lab = subprocess.Popen([sys.executable, "-m", "jupyterlab", *options], env=own, cwd=NOTEBOOKS)
    try:
        return lab.wait()
    except KeyboardInterrupt:
        return lab.wait(timeout=30)  # the terminal sent Ctrl-C to Lab too: let it shut its kernels down


def browser_found() -> bool:
    """Whether this machine can open a web page."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def main() -> int:
    """Ask, then serve, or execute where there is no terminal."""
    own = environment()
    status = ask(own)
    if status:
        return status
    if sys.stdin.isatty() and sys.stdout.isatty():
        return serve(own)
    return execute_tour(own)


if __name__ == "__main__":
    sys.exit(main())
