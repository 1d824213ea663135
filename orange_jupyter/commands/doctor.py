"""`%orange doctor`: everything that can be wrong with an installation, each line with what to do (R-NB-3, R-HL-2).

Every look has a time limit, and offline all of it works.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import stat
import sys
from importlib.metadata import PackageNotFoundError, version

from orange_jupyter.commands.checks import Check, Words, both, check, report, within
from orange_jupyter.commands.doctor_model import model_checks
from orange_jupyter.commands.standing import Standing, none
from orange_jupyter.core.errors import OrangeError
from orange_jupyter.jupyter.ports import CommandReply

SECONDS = 10.0
INDEX_SECONDS = 30.0
LEAST_FREE = 500 * 1024 * 1024
PACKAGES: tuple[tuple[str, str, Words], ...] = (
    ("ipykernel", "ipykernel", ("Install it: pip install ipykernel.", "请安装：pip install ipykernel。")),
    ("IPython", "ipython", ("Install it: pip install ipython.", "请安装：pip install ipython。")),
    ("ipywidgets", "ipywidgets", ("Install it: pip install ipywidgets.", "请安装：pip install ipywidgets。")),
    (
        "JupyterLab",
        "jupyterlab",
        (
            "Only needed where Lab itself runs: pip install 'orange-jupyter[lab]'.",
            "只在运行 Lab 的环境里需要：pip install 'orange-jupyter[lab]'。",
        ),
    ),
    (
        "jieba",
        "jieba",
        (
            "Chinese questions find more with it: pip install 'orange-jupyter[zh]'.",
            "装上它中文问题能找到更多：pip install 'orange-jupyter[zh]'。",
        ),
    ),
)
WAYS: dict[str, Words] = {
    "await": ("A cell awaits its turn; buttons work meanwhile.", "单元格等待时按钮可用。"),
    "pump": ("A cell reads clicks while it waits; buttons work.", "单元格等待时会读取点击，按钮可用。"),
    "block": ("Nobody can click here; questions are typed or refused.", "这里无法点击；问题用键盘回答，或被拒绝。"),
    "detached": (
        "Clicks do not reach a waiting cell of this kernel, so turns go on by themselves.",
        "这个内核在等待时收不到点击，所以任务在后台继续。",
    ),
    "": ("Not in a notebook.", "不在笔记本里。"),
}
STATE: Words = ("State folder", "状态文件夹")
CACHE: Words = ("Cache folder", "缓存文件夹")
BASES: Words = ("Knowledge bases", "知识库")
PROJECT: Words = ("Project settings", "项目设置")
INDEX: Words = ("Index", "索引")


async def doctor(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """All checks, in the order in which one would mend them."""
    none(words, "%orange doctor", at.say)
    checks = [_python(), *_packages(), _waiting(at)]
    checks += await within(SECONDS, STATE, asyncio.to_thread(_state_folder, str(at.app.ground.folders.home)))
    checks += await within(SECONDS, CACHE, asyncio.to_thread(_cache_folder, str(at.app.ground.folders.cache)))
    checks += await within(SECONDS, BASES, _bases(at))
    checks += await within(SECONDS, PROJECT, _project(at))
    checks += await within(INDEX_SECONDS, INDEX, _index(at))
    checks += await model_checks(at)
    warning = at.app.ground.file_ids.warning
    if warning:
        checks.append(Check(("File ids", "文件编号"), "warning", both(warning)))
    return report(checks, at.where.language)


def unopened(error: OrangeError, language: str) -> CommandReply:
    """The checks that are possible where the state folder or the settings cannot be used."""
    name: Words = STATE if isinstance(error.__cause__, OSError) else ("Settings", "设置")
    failed = Check(name, "failed", both(error.message), both(error.hint) if error.hint else None)
    return report([_python(), *_packages(), failed], language)


def _python() -> Check:
    action = ("Use Python 3.11 or newer.", "请使用 Python 3.11 或更新版本。")
    return check(both("Python"), sys.version_info >= (3, 11), both(platform.python_version()), action)


def _packages() -> list[Check]:
    checks = []
    for shown, name, action in PACKAGES:
        try:
            checks.append(check(both(shown), True, both(version(name))))
        except PackageNotFoundError:
            missing = ("not installed here.", "未安装在这个环境。")
            checks.append(check(both(shown), False, missing, action, bad="warning"))
    return checks


def _waiting(at: Standing) -> Check:
    action = (
        "%orange wait joins a turn. ipykernel 7.4 or newer lets buttons work: pip install -U ipykernel.",
        "%orange wait 可等待结果。ipykernel 7.4 以上按钮可用：pip install -U ipykernel。",
    )
    way = at.where.way
    return check(("Waiting", "等待方式"), way != "detached", WAYS.get(way, both(way)), action, bad="warning")


def _state_folder(folder: str) -> list[Check]:
    """Blocks: looks at the disk."""
    checks = [_writable(STATE, folder, "ORANGE_HOME")]
    if checks[0].status != "ok":
        return checks
    mode = stat.S_IMODE(os.stat(folder).st_mode)
    if mode & 0o077:
        open_to: Words = (
            f"Others on this machine can look into it (mode {mode:03o}).",
            f"本机其他用户可以查看它（模式 {mode:03o}）。",
        )
        action = (f"chmod 700 {folder}", f"chmod 700 {folder}")
        checks.append(Check(("State folder's rights", "状态文件夹权限"), "warning", open_to, action))
    free = shutil.disk_usage(folder).free
    room: Words = (f"{free / 1e9:,.1f} GB free.", f"剩余 {free / 1e9:,.1f} GB。")
    action = ("Make room: sessions and pictures are kept there.", "请腾出空间：会话和图片保存在那里。")
    return [*checks, check(("Disk", "磁盘"), free >= LEAST_FREE, room, action, bad="warning")]


def _cache_folder(folder: str) -> list[Check]:
    checked = _writable(CACHE, folder, "ORANGE_CACHE")
    return [checked if checked.status == "ok" else Check(CACHE, "warning", checked.message, checked.action)]


def _writable(name: Words, folder: str, variable: str) -> Check:
    ok = os.path.isdir(folder) and os.access(folder, os.W_OK)
    bad = (f"{folder} is not a folder that can be written.", f"{folder} 不是可写的文件夹。")
    action = (
        f"Make it writable, or set {variable} to another folder.",
        f"请让它可写，或把 {variable} 设为别的文件夹。",
    )
    return check(name, ok, both(folder) if ok else bad, action)


async def _bases(at: Standing) -> list[Check]:
    reach = await at.app.reach(at.opened.session.state.knowledge_bases)
    missing = [base.name for base in reach.bases if not await asyncio.to_thread(os.path.isdir, base.root)]
    if missing:
        message = (f"Folder missing: {', '.join(missing)}.", f"文件夹不见了：{'、'.join(missing)}。")
        action = ("Bring it back or %orange kb remove it.", "请恢复它，或用 %orange kb remove 移除。")
        return [Check(BASES, "failed", message, action)]
    names = ", ".join(base.name for base in reach.bases)
    return [
        check(
            BASES,
            bool(names),
            both(names) if names else ("none selected.", "未选择。"),
            both("%orange kb add ."),
            bad="warning",
        )
    ]


async def _project(at: Standing) -> list[Check]:
    """What of the project's .orange/config.toml counts, and what is ignored since it came with the folder."""
    bases = await asyncio.to_thread(at.app.bases)
    if bases.project_file is None:
        return [Check(PROJECT, "ok", ("no .orange/config.toml here.", "这里没有 .orange/config.toml。"))]
    action = (
        "Only knowledge bases inside the project count; the rest belongs into your own config.toml.",
        "只有项目内的知识库有效；其余请写进你自己的 config.toml。",
    )
    message = both(" ".join(bases.ignored) or bases.project_file)
    return [check(PROJECT, not bases.ignored, message, action, bad="warning")]


async def _index(at: Standing) -> list[Check]:
    reach = await at.app.reach(at.opened.session.state.knowledge_bases)
    found = await reach.library.refresh(at.progress)
    files = sum(base.files for base in found.bases)
    chunks = sum(base.chunks for base in found.bases)
    failed = sum(len(base.failed) for base in found.bases)
    more = "".join(f" {warning}" for warning in found.warnings)
    message = (
        f"{files:,} files, {chunks:,} passages, {failed} not read.{more}",
        f"{files:,} 个文件，{chunks:,} 段，{failed} 个未能读取。{more}",
    )
    action = ("See %orange kb scan.", "见 %orange kb scan。")
    return [check(INDEX, not (failed or found.warnings), message, action, bad="warning")]
