"""`%%orange` in a real kernel: the await, its order, its errors, its fall-backs, without a browser."""

from __future__ import annotations

import json

import pytest

from tests.jupyter.page import Page
from tests.kernels import Kernel

pytestmark = pytest.mark.kernel


def test_a_cell_leaves_its_record_and_the_kernel_goes_on(orange: Kernel) -> None:
    """R-NB-2, R-SAVE-1, R-HL-1: headless, one display with every form, nothing of the controls."""
    cell = orange.run("%%orange --out turn\n你好 {1+1} $HOME\n  >>> kept")
    assert cell.status == "ok"
    (output,) = cell.outputs
    assert set(output["data"]) >= {"text/html", "text/markdown", "text/plain", "application/vnd.orange.turn+json"}
    assert "answer to: 你好 {1+1} $HOME" in output["data"]["text/plain"]
    assert not cell.comms
    assert orange.run("turn.answer").text == repr("answer to: 你好 {1+1} $HOME\n  >>> kept")
    assert "'%%orange --out turn\\n" in orange.run("get_ipython().history_manager.input_hist_raw").text


def test_nothing_on_the_magic_line_is_evaluated_or_expanded(orange: Kernel) -> None:
    """A24: braces and dollars stay what they are, awaited and below %%time, for the cell and the line."""
    orange.run("called = []\ndef side():\n    called.append(1)\n    return 'x'\nSECRET = 'sk-1'")
    for above in ("", "%%time\n"):
        cell = orange.run(above + "%%orange --model $SECRET --image {side()}\nvars")
        assert "'$SECRET'" in cell.text
        assert "'{side()}'" in cell.text
        assert "sk-1" not in cell.text
    assert "{side()} | $SECRET" in orange.run("%orange x {side()} $SECRET").text
    assert orange.run("called").text == "[]"


def test_a_reply_is_markdown_and_plain_words(orange: Kernel) -> None:
    """R-SAVE-2: the plain form shows no Markdown escapes."""
    (output,) = orange.run("%orange escaped").outputs
    assert output["data"]["text/markdown"].startswith(r"workspace\-write")
    assert output["data"]["text/plain"] == r"workspace-write (v1) `C:\new`"


def test_variables_are_attached_as_a_bounded_repr(orange: Kernel) -> None:
    """R-NB-2: --var, and a name that does not exist."""
    orange.run("数据 = ['a' * 9000]")
    text = orange.run("%%orange --var 数据\nvars").text
    assert "数据" in text
    assert "(+5,004)" in text
    assert "There is no variable nothing" in orange.run("%%orange --var nothing\nvars").text


def test_errors_are_one_readable_line_and_never_a_traceback(orange: Kernel) -> None:
    """R-UI-7: message and hint escaped; the cell does not raise; an unexpected error names a reference only."""
    for code, said in [
        ("%%orange --teir x\nq", "There is no option --teir. Did you mean --tier?"),
        ("%%orange\n  \n", "The question is empty."),
        ("%orange fail", "Orange: <b>no</b> $1\nDo another."),
        ("%%orange\ncrash", "Something went wrong inside Orange ("),
    ]:
        cell = orange.run(code)
        assert cell.status == "ok", code
        assert said in cell.text
        assert "Traceback" not in json.dumps(cell.outputs)
        assert "a bug with a secret" not in json.dumps(cell.outputs)
        assert "<b>no" not in cell.outputs[-1]["data"]["text/html"]


def test_a_cell_cannot_enter_a_full_tier(orange: Kernel) -> None:
    """R-PERM-3, A19: neither an option nor a line, with nobody to confirm; the tier stays."""
    assert "cannot raise the tier" in orange.run("%%orange --tier full-auto\nhello").text
    cell = orange.run("%orange tier full-auto")
    assert "Nobody is here to confirm full-auto; the tier stays workspace-write." in cell.text


def test_a_cell_may_go_down_from_one_full_tier_to_the_other(orange: Kernel) -> None:
    """R-NB-2, R-PERM-3: full-auto to full-confirm needs nobody; back up is refused."""
    office = "get_ipython().extension_of_orange.magics.notebook.entrance._office.result()"
    orange.run(f"from orange_jupyter.core.grant import Tier; {office}.tier = Tier('full-auto')")
    assert "answer to: hello" in orange.run("%%orange --tier full-confirm\nhello").text
    assert orange.run(f"str({office}.tier)").text == "'full-confirm'"
    assert "cannot raise the tier" in orange.run("%%orange --tier full-auto\nhello").text
    orange.run("%orange tier workspace-write")


def test_without_a_person_what_must_be_asked_is_refused_at_once(orange: Kernel) -> None:
    """R-APPR-4, A18: no waiting, the cell ends normally and says so."""
    cell = orange.run("%%orange\nask", timeout=10)
    assert cell.status == "ok"
    assert "Refused, nobody to ask" in cell.text
    assert orange.run("%orange ran").text == "ran 0"


def test_the_fall_backs_run_the_same_turn(orange: Kernel) -> None:
    """Traps: below %%time, with %autoawait off, from run_cell_magic, in a loop; %%orangeade is not ours."""
    assert "answer to: hello" in orange.run("%%time\n%%orange\nhello").text
    assert "answer to: hello" in orange.run("get_ipython().run_cell_magic('orange', '', 'hello')").text
    assert orange.run("for word in 'ab':\n    %orange ran").text == "ran 0ran 0"
    orange.run("%autoawait off")
    assert "answer to: hello" in orange.run("%%orange\nhello").text
    assert orange.run("%orange ran").text == "ran 0"
    orange.run("%autoawait on")
    assert "%%orangeade` not found" in orange.run("%%orangeade\nx").text


def test_run_all_keeps_its_order(orange: Kernel) -> None:
    """R-SESS-3: two turns and a cell after them, queued at once, run one after the other."""
    page = Page(orange)
    first, second, after = page.run("%%orange\nbrief 1"), page.run("%%orange\nbrief 2"), page.run("1 + 1")
    page.finish(after)
    assert "answer to: brief 1" in page.cells[first].text
    assert "answer to: brief 2" in page.cells[second].text
    assert page.cells[after].text == "2"


def test_a_detached_turn_writes_into_its_own_cell_while_another_runs(orange: Kernel) -> None:
    """R-UI-2, decision 4: the cell returns, later output still lands in it, `%orange wait` joins."""
    page = Page(orange)
    cell = page.run("%%orange --detach\nbrief talk")
    page.finish(cell)
    assert "answer to" not in page.cells[cell].text
    other = page.run("import asyncio; await asyncio.sleep(1.5); print('mine')")
    page.finish(other)
    assert page.cells[other].text == "mine\n"
    page.finish(page.run("%orange wait"))
    assert "answer to: brief talk" in page.cells[cell].text
    assert {parent for owner, parent in page.updated_from if owner == cell} == {cell}


def test_json_shows_the_document(orange: Kernel) -> None:
    """R-HL-1: --json in a cell is the document of `ask --json`."""
    cell = orange.run("%%orange --json\nhello")
    assert json.loads(cell.text) == {"ok": True, "answer": "answer to: hello"}


def test_tab_completes_words_options_and_names(orange: Kernel) -> None:
    """R-NB-3: subcommands, options, KBs (quoted where needed), sessions."""
    orange.run("%orange status")

    def tab(code: str) -> list[str]:
        reply = orange.client.complete(code, len(code), reply=True, timeout=20)
        return list(reply["content"]["matches"])

    assert tab("%orange sess") == ["session"]
    assert "--no-plan" in tab("%%orange --")
    assert "notes" in tab("%%orange --kb n")
    assert tab("%orange session use ") == ["周报"]
    assert "workspace-readonly" in tab("%%orange --tier workspace-r")
