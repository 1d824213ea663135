"""Every tool's pictures are held to the model's limits before they are sent (R-IMG-2), with the real stores and workers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PIL import Image

from orange_jupyter.core.dispatch import run_call
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.messages import Image as Shown
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.core.tool import Action, Result, Tool, ToolContext
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.storage.blobs import FileBlobs
from tests.core.stage import Stage, Touch, call
from tests.documents.samples import saved

DEFAULT = PictureLimits()


@pytest.fixture
async def shoot(tmp_path):
    """`await shoot(*files, limits=…)` runs a tool that gives these files as pictures, as they are."""
    blobs, documents = FileBlobs(tmp_path), LocalDocuments()

    async def plan(_: ToolContext, __: Touch) -> Action:
        return Action(Effect.LOOK, "shoot", "screen")

    async def taken(*files, limits=DEFAULT):
        images = []
        for data, media_type, size in files:
            sha256 = await blobs.put(data, media_type)
            images.append(Shown(sha256=sha256, media_type=media_type, width=size[0], height=size[1], caption="screen"))

        async def run(_: ToolContext, __: Touch, ___: Action) -> Result:
            return Result({"shot": True}, "shot", images=tuple(images))

        stage = Stage(Tool("touch", "Shoots.", Touch, (Effect.LOOK,), plan, run, target=lambda _: "screen"))
        model = ModelInfo("m", vision=True, pictures=limits)
        bare = stage.desk.context

        def context(grant, progress):
            return replace(bare(grant, progress), blobs=blobs, documents=documents, model=model)

        return await run_call(replace(stage.desk, context=context), call())

    yield taken, blobs
    await documents.close()


async def test_a_picture_within_the_limits_is_left_as_it_is(shoot):
    """R-IMG-2: not one byte changes."""
    taken, _ = shoot
    data = saved(Image.new("RGB", (50, 40), "red"), "PNG")
    ran = await taken((data, "image/png", (50, 40)))
    assert [(one.width, one.caption) for one in ran.result.images] == [(50, "screen")]
    assert ran.envelope == {"ok": True, "shot": True}


async def test_a_picture_over_the_limits_is_shrunk(shoot):
    """R-IMG-2: pixels or bytes; the caption stays."""
    taken, blobs = shoot
    data = saved(Image.effect_noise((2600, 1300), 60), "PNG")
    for limits in (DEFAULT, PictureLimits(9000, 9000, 10**9), PictureLimits(max_bytes=30_000)):
        ran = await taken((data, "image/png", (2600, 1300)), limits=limits)
        (image,) = ran.result.images
        assert image.caption == "screen"
        assert image.width <= min(limits.max_width, 2048)
        assert abs(image.width - 2 * image.height) <= 2
        assert len(await blobs.get(image.sha256)) <= limits.max_bytes


async def test_one_that_cannot_be_made_smaller_stays_while_it_is_under_the_caps(shoot):
    """R-IMG-2: a failure keeps the original; one over R-READ-8's caps is kept for the person and named for the model."""
    taken, blobs = shoot
    small, large = b"no picture at all", b"no picture either" * 300_000
    ran = await taken((small, "image/png", (2040, 9)), (large, "image/png", (50, 40)), (small, "image/png", (9000, 9)))
    assert [one.width for one in ran.result.images] == [2040]
    left = [one["reason"] for one in ran.envelope["imagesLeftOut"]]
    assert len(left) == 2
    assert all("kept for the person only" in reason for reason in left)
    assert left[0].split()[0].startswith("img_")
    assert ran.result.ok
    assert list(blobs._folder.rglob("*.png"))


async def test_a_message_has_eight(shoot):
    """R-READ-8."""
    taken, _ = shoot
    files = [(saved(Image.new("RGB", (9, 9 + n)), "PNG"), "image/png", (9, 9 + n)) for n in range(10)]
    ran = await taken(*files)
    assert (len(ran.result.images), len(ran.envelope["imagesLeftOut"])) == (8, 2)
