"""Pictures in whole turns, against a server that records what it is sent (R-IMG-2, R-CTX-3, R-MOD-8, R-READ-8; wire rows 16, 20)."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from itertools import pairwise

import pymupdf
import pytest
from PIL import Image

from orange_jupyter.app import App
from orange_jupyter.attaching import limits_for
from orange_jupyter.beginning import attached, told_first
from orange_jupyter.config import ModelSettings, Provider, add_model, use_model
from orange_jupyter.core.errors import ReadError, UsageError
from orange_jupyter.core.events import StopReason
from orange_jupyter.core.fitting import THINNED
from orange_jupyter.core.session import Said
from orange_jupyter.terminal import Nobody
from orange_jupyter.turns import Collector
from tests.documents.samples import bare_png
from tests.jupyter.papers import paper
from tests.providers.server import call, delta, plain, serving, stream

FINE = plain(stream(delta(content="Orange."), delta("stop")))


def reads(*paths, **more):
    """A reply that reads files."""
    calls = [
        call(json.dumps({"path": path, **more}), index=number, id=f"c{number}", name="read", type="function")
        for number, path in enumerate(paths)
    ]
    return plain(stream(delta(tool_calls=calls), delta("tool_calls")))


def refuses(text, status="400 Bad Request"):
    """A server's refusal in words."""
    body = json.dumps({"error": {"message": text}}).encode()
    return plain(body, status=status, content_type="application/json")


@pytest.fixture
async def desk(tmp_path):
    """`async with desk(answers, **settings) as (ask, server)`; `await ask(question, *pictures)` is a turn."""
    folder = tmp_path / "notes"
    (folder / ".orange").mkdir(parents=True)
    (folder / ".orange" / "config.toml").write_text('[[knowledge_bases]]\nid = "kb_m"\nname = "notes"\npath = "."\n')
    Image.new("RGB", (60, 40), (240, 120, 20)).save(folder / "figure.png")
    environ = {"ORANGE_HOME": str(tmp_path / "home"), "ORANGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    app = await App.open(environ, str(folder), Nobody())
    opened = []

    async def ask(question, *pictures):
        if not opened:
            opened.append(await app.create())
        images = await attached(app, opened[0], pictures)
        collector = Collector()
        said = Said(images=images, views=(collector,), notices=await told_first(app, opened[0], "en", len(images)))
        finished = await opened[0].session.send(question, said)
        return collector.turn(finished, opened[0].session.state)

    def model(server, name="m", **settings):
        known = {"provider": Provider.OPENAI_COMPATIBLE, "base_url": server.url, "model": f"id-{name}", "vision": True}
        add_model(app.ground.folders.config, name, ModelSettings(**(known | settings)))
        use_model(app.ground.folders.config, name)

    ask.model, ask.folder, ask.app, ask.home, ask.opened = model, folder, app, tmp_path / "home", opened
    yield ask
    await app.close()


def sent(server):
    """The messages of each request."""
    return [seen.json["messages"] for seen in server.seen if seen.json.get("stream")]


def pixels(messages):
    """The pictures in a request, opened."""
    parts = [part for one in messages if isinstance(one["content"], list) for part in one["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [Image.open(BytesIO(base64.b64decode(url.partition(",")[2]))) for url in urls]


async def test_a_picture_is_sent_in_its_own_turn_and_a_note_stands_for_it_later(desk):
    """R-CTX-3: id and caption, in the result and in the person's message; later turns keep every byte; the blob stays."""
    async with serving(reads("figure.png"), FINE, FINE, FINE) as server:
        desk.model(server)
        await desk("What is in the figure?", "figure.png")
        await desk("And now?")
        await desk("And then?")
    first, shown, later, last = sent(server)
    assert (len(pixels(first)), len(pixels(shown)), len(pixels(later))) == (1, 2, 0)
    (kept,) = (desk.home / "blobs").rglob("*.png")
    identity = f"img_{kept.stem[:16]}"
    assert f"{identity}, figure.png" in later[1]["content"]
    result = json.loads(next(one["content"] for one in later if one["role"] == "tool"))
    assert result["picturesShownBefore"] == [f"{identity}, figure.png"]
    assert result["image"]["id"] == identity
    assert last[: len(later)] == later
    assert "base64" not in json.dumps(later)


@pytest.mark.parametrize(
    ("switches", "reason"),
    [({"vision": False}, "the vision switch of model m is off"), ({"sendImages": False}, "sendImages is off")],
)
async def test_with_vision_off_no_pixel_leaves_and_everybody_knows(desk, switches, reason):
    """R-MOD-8, R-READ-7: nothing in any request; the model reads why, the person has a line and the tool's line."""
    (desk.folder / "n.md").write_text("![a](figure.png)")
    async with serving(reads("figure.png", "n.md", includeImages="always"), FINE) as server:
        desk.model(server, **switches)
        turn = await desk("What is in the figure?", "figure.png")
    bodies = b"".join(seen.body for seen in server.seen)
    assert b"image_url" not in bodies
    assert b"base64" not in bodies
    result = json.loads(next(one["content"] for one in sent(server)[1] if one["role"] == "tool"))
    assert reason in result["visionUnavailable"]["reason"]
    assert "[picture not shown:" in sent(server)[0][1]["content"]
    assert any("does not see pictures" in line for line in turn.notices)
    assert ["not shown to the model" in one.summary for one in turn.steps[0].calls] == [True, True]


async def test_a_broken_picture_is_an_error_of_its_own_call(desk):
    """R-IMG-3: the turn goes on, the next call works, so does the next turn."""
    (desk.folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    (desk.folder / "bomb.png").write_bytes(bare_png(30_000, 30_000))
    async with serving(reads("broken.png", "bomb.png"), reads("figure.png"), FINE, FINE) as server:
        desk.model(server)
        turn = await desk("Look at them")
        again = await desk("And again?")
    codes = [one.code for step in turn.steps for one in step.calls]
    assert (codes, turn.stop_reason) == (["damaged", "too_large", None], StopReason.ANSWER)
    assert again.stop_reason is StopReason.ANSWER
    assert [len(pixels(messages)) for messages in sent(server)] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    "refusal",
    [
        refuses("Could not process image"),
        refuses("Request too large", "413 Payload Too Large"),
        refuses("no vision here"),
    ],
)
async def test_a_server_that_refuses_a_picture_gets_the_question_without_it(desk, refusal):
    """Wire row 20: sent again at once, a note in its place, the person told; the session goes on."""
    async with serving(refusal, FINE, FINE) as server:
        desk.model(server)
        turn = await desk("What is in the figure?", "figure.png")
        after = await desk("And now?")
    assert (turn.stop_reason, after.stop_reason) == (StopReason.ANSWER, StopReason.ANSWER)
    assert [len(pixels(messages)) for messages in sent(server)] == [1, 0, 0]
    assert "the model's server refused it" in sent(server)[1][1]["content"]
    assert any("refused the pictures" in line for line in turn.notices)


async def test_a_bad_picture_of_the_person_is_refused_before_the_turn(desk):
    """R-IMG-3, R-READ-8: named, with what to do; nothing is sent or kept, and the session answers the next question."""
    (desk.folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    async with serving(FINE) as server:
        desk.model(server)
        with pytest.raises(ReadError, match=r"^broken\.png: The picture is damaged") as caught:
            await desk("What is this?", "figure.png", "broken.png")
        assert caught.value.hint
        with pytest.raises(UsageError, match="at most 8"):
            await desk("What are these?", *["figure.png"] * 9)
        assert (server.seen, desk.opened[0].session.state.turns) == ([], 0)
        turn = await desk("What is this?", *["figure.png"] * 8)
    assert turn.stop_reason is StopReason.ANSWER
    assert len(pixels(sent(server)[0])) == 8


async def test_many_calls_share_the_pictures_of_a_message(desk):
    """R-READ-8: eight a message; the model is told of the others."""
    async with serving(reads(*["figure.png"] * 10), FINE) as server:
        desk.model(server)
        await desk("Look")
    assert len(pixels(sent(server)[1])) == 8
    assert json.dumps(sent(server)[1]).count("at most 8 pictures a message") == 2


async def test_pictures_are_held_to_the_limits_that_the_model_is_set_to(desk):
    """R-IMG-1, R-IMG-2: the person's and read's; unset values are the defaults, and the file stays as it was."""
    Image.effect_noise((900, 600), 90).save(desk.folder / "photo.png")
    async with serving(reads("photo.png"), FINE) as server:
        resize = {"maxWidth": 300, "maxBytes": 20_000}
        desk.model(server, input_limits={"images": {"resize": resize}})
        await desk("Look", "photo.png")
    config = desk.app.ground.folders.config.read_text()
    assert ("maxWidth" in config, "maxHeight" in config, "jpegQuality" in config) == (True, False, False)
    shown = pixels(sent(server)[1])
    assert [image.size for image in shown] == [(300, 200)] * 2
    assert all(len(base64.b64encode(image.fp.getvalue())) <= 20_000 for image in shown)


async def test_a_virtual_model_holds_pictures_to_the_member_that_replied_last(desk):
    """R-IMG-2, R-MOD-9: its first member's before any reply; then those of the one that gave the newest one."""
    Image.new("RGB", (900, 600), "teal").save(desk.folder / "photo.png")

    def limited(width):
        return {"input_limits": {"images": {"resize": {"maxWidth": width}}}}

    async with serving(refuses("gone", "404 Not Found")) as down, serving(reads("photo.png"), FINE, FINE) as up:
        desk.model(down, "first", **limited(300))
        desk.model(up, "second", **limited(150))
        both = ModelSettings(provider=Provider.VIRTUAL, any_of=["first", "second"])
        add_model(desk.app.ground.folders.config, "both", both)
        use_model(desk.app.ground.folders.config, "both")
        await desk("Look", "photo.png")
        session = desk.opened[0].session.state.session_id
        assert (await limits_for(desk.app, "both", session)).max_width == 150
        assert (await limits_for(desk.app, "both", None)).max_width == 300
        await desk("Look again", "photo.png")
    widths = [[image.width for image in pixels(messages)] for messages in sent(up)]
    assert widths == [[300], [300, 150], [150]]


async def test_no_request_holds_a_picture_of_a_page_with_a_key(desk):
    """R-READ-15: by page, by range and unasked; the other pages of the range are sent."""
    key = "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78St90Uv12"
    with pymupdf.open("pdf", paper(secret=f"OPENAI_API_KEY={key}")) as pdf:
        pdf[1].add_redact_annot((0, 0, 500, 660))
        pdf[1].apply_redactions()
        pdf[1].insert_text((36, 60), "nothing to hide")
        pdf.save(desk.folder / "key.pdf")
    asked = [
        reads("key.pdf", page=1),
        reads("key.pdf", page=1, pageEnd=3),
        reads("key.pdf", includeImages="always"),
        reads("key.pdf", block=2),
    ]
    async with serving(*asked, FINE) as server:
        desk.model(server)
        await desk("What is in the paper?")
    assert [len(pixels(messages)) for messages in sent(server)] == [0, 0, 1, 2, 2]
    assert key[:24] not in "".join(json.dumps(messages) for messages in sent(server))
    results = [json.loads(one["content"]) for one in sent(server)[-1] if one["role"] == "tool"]
    assert [[one["page"] for one in result.get("documentImages", ())] for result in results] == [[], [2], [2], []]
    assert [[one["page"] for one in result["imagesLeftOut"]] for result in results] == [[1], [1, 3], [1, 3], [1]]


async def test_earlier_pictures_of_a_turn_give_way_where_the_window_is_small(desk):
    """R-CTX-3, R-READ-8: a long scan is read to its end; notes stand for its first pages, and the person is told once."""
    with pymupdf.open() as pdf:
        for number in range(40):
            pdf.new_page().draw_rect((100, 100, 200 + number, 300), fill=(0.9, 0.4, 0.1))
        pdf.save(desk.folder / "scan.pdf")
    asked = [reads("scan.pdf", page=first, pageEnd=first + 3) for first in range(1, 41, 4)]
    async with serving(*asked, FINE, FINE) as server:
        desk.model(server, context_window=32_768)
        turn = await desk("What is in the scan?", "figure.png")
        after = await desk("And now?")
    assert (turn.stop_reason, after.stop_reason) == (StopReason.ANSWER, StopReason.ANSWER)
    requests = sent(server)
    counts = [len(pixels(messages)) for messages in requests]
    assert counts[:4] == [1, 5, 9, 13]
    assert all(count >= 5 for count in counts[1:-1]), counts
    assert (max(counts) < 21, counts[-1]) == (True, 0)
    whole = [one for one, following in pairwise(requests[:-1]) if following[: len(one)] == one]
    assert len(whole) >= 7
    assert [line for line in turn.notices if "window is too small" in line] == [THINNED]
    assert after.notices == ()
