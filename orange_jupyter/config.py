"""The person's settings: ORANGE_HOME/config.toml read once into frozen values and handed down (R-MOD-2, R-HL-3).

Nobody else reads `os.environ`; here it comes as an argument. A wrong setting is a ConfigError that names file,
line, key and the nearest right one. `[[knowledge_bases]]` of the same file belongs to `local.bases`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError, field_validator

from orange_jupyter.config_file import BOM, edit_toml, locate, parse_toml, wrong_key, wrong_value
from orange_jupyter.config_models import ModelSettings, Prices, Provider, Table, WebSettings
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ConfigError, UsageError
from orange_jupyter.core.grant import Switches, Tier
from orange_jupyter.storage.folders import private_folder

__all__ = [
    "EMBEDDED",
    "Folders",
    "Limits",
    "ModelSettings",
    "Prices",
    "Provider",
    "Settings",
    "add_model",
    "load_settings",
    "parse_settings",
    "set_mode",
    "use_model",
]

EMBEDDED: Final = "embedded"
"""The model that is always there (R-MOD-7)."""


@dataclass(frozen=True, slots=True)
class Folders:
    """Where state and caches lie: ORANGE_HOME (else `~/.orange`) and ORANGE_CACHE (else the platform's folder)."""

    home: Path
    cache: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Folders:
        """The folders that an environment names; both absolute, not made yet."""
        home = environ.get("ORANGE_HOME") or "~/.orange"
        return cls(_absolute(home), _absolute(environ.get("ORANGE_CACHE") or _platform_cache()))

    def make(self) -> Folders:
        """Make both with mode 0700. Raises ConfigError where there can be no state.

        Without a cache everything works, only slower: what would lie there is then kept in memory and says so.
        """
        try:
            private_folder(self.home)
        except OSError as problem:
            reason = f"the folder cannot be made: {problem.strerror}"
            hint = "Set ORANGE_HOME to a folder that you can write."
            error = ConfigError(reason, file=str(self.home), key="ORANGE_HOME", hint=hint)
            error.code = Code.NO_ACCESS if isinstance(problem, PermissionError) else Code.IO_ERROR
            raise error from problem
        with suppress(OSError):
            private_folder(self.cache)
        return self

    @property
    def config(self) -> Path:
        """The person's config.toml."""
        return self.home / "config.toml"


def _absolute(folder: str) -> Path:
    return Path(folder).expanduser().absolute()


def _platform_cache() -> str:
    from platformdirs import user_cache_dir

    return user_cache_dir("orange-jupyter", appauthor=False)


class Limits(Table):
    """Bounds of one turn (R-MOD-5); None is no bound. `cost` in the currency of the prices."""

    steps: int = Field(50, ge=1, le=1_000)
    tokens: int | None = Field(None, ge=1)
    cost: float | None = Field(None, gt=0)
    seconds: float | None = Field(None, gt=0)


class SwitchSettings(Table):
    """`[switches]`: the person's feature switches (R-PERM-4)."""

    network: bool = False
    browser: bool = False
    exec: bool = True


class Headless(Table):
    """`[headless]`: `strict` makes a cell raise where a question had nobody to answer it (R-APPR-4)."""

    strict: bool = False


class KeepSettings(Table):
    """`[changes]`: how much of what was changed is kept to be undone, in MB (1,048,576 bytes) and days (R-CHG-9)."""

    keep_mb: int = Field(200, ge=0, le=1_000_000)
    keep_days: int = Field(30, ge=0, le=36_500)


class Settings(Table):
    """The whole file. `localOnly` allows only models on this machine (R-MOD-11)."""

    default_tier: Annotated[Tier, Field(strict=False)] = Tier.WORKSPACE_READONLY
    default_model: str = EMBEDDED
    language: Literal["auto", "en", "zh"] = "auto"
    localOnly: bool = False
    models: dict[str, ModelSettings] = Field(default_factory=dict)
    switches: SwitchSettings = SwitchSettings()
    limits: Limits = Limits()
    headless: Headless = Headless()
    changes: KeepSettings = KeepSettings()
    web: WebSettings = WebSettings()

    @field_validator("default_tier")
    @classmethod
    def _workspace_tier(cls, value: Tier) -> Tier:
        if value.full:
            raise ValueError("can be workspace-readonly or workspace-write only (R-PERM-1)")
        return value

    @property
    def grant_switches(self) -> Switches:
        """The switches as the policy takes them; MCP and memory are set elsewhere."""
        return Switches(**self.switches.model_dump())

    def host(self, name: str) -> str:
        """Every host that receives text of the model `name`, after commas; "" where none does (R-MOD-11)."""
        known = self.models.get(name)
        if known is None:
            return ""
        members = [self.models[one].host for one in known.any_of if one in self.models]
        return ", ".join(dict.fromkeys(host for host in members if host)) if known.any_of else known.host

    def model(self, name: str, file: str = "config.toml") -> ModelSettings:
        """The settings of a model by its name; `embedded` is always there.

        Raises UsageError for an unknown one (with the nearest), ConfigError for one that `localOnly` forbids.
        """
        found = self.models.get(name)
        if found is None and name == EMBEDDED:
            return ModelSettings(provider=Provider.EMBEDDED)
        if found is None:
            near = difflib.get_close_matches(name, [*self.models, EMBEDDED], n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Models: {', '.join((*self.models, EMBEDDED))}."
            raise UsageError(f"There is no model {name}.", hint=hint, code=Code.NOT_FOUND)
        if self.localOnly and not found.local:
            raise ConfigError(
                f"localOnly is on and {found.host} is not this machine",
                file=file,
                key=f"models.{name}.base_url",
                hint="Choose a model on this machine, or set localOnly = false.",
            )
        return found


def load_settings(file: Path) -> Settings:
    """The settings in a config.toml; the defaults where there is none. Raises ConfigError."""
    try:
        text = file.read_bytes().decode("utf-8").removeprefix(BOM)
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"cannot be read: {reason}", file=str(file)) from problem
    return parse_settings(text, str(file))


def parse_settings(text: str, file: str) -> Settings:
    """The settings in a file's text. Raises ConfigError that names line, key and the nearest right one."""
    found = {name: value for name, value in parse_toml(text, file).items() if name != "knowledge_bases"}
    try:
        settings = Settings.model_validate(found)
    except ValidationError as problem:
        # Without the cause: what was written there may be a key in the wrong place.
        raise _explain(problem, text, file) from None
    known = (*settings.models, EMBEDDED)
    if settings.default_model not in known:
        line = locate(text, ("default_model",))
        raise wrong_value(("default_model",), f"there is no model {settings.default_model!r}", known, at=(file, line))
    return settings


def _explain(problem: ValidationError, text: str, file: str) -> ConfigError:
    """The first wrong setting in the file's own order."""
    errors = problem.errors(include_url=False, include_input=False)
    placed = [(locate(text, tuple(map(str, error["loc"]))) or 0, error) for error in errors]
    line, error = min(placed, key=lambda pair: pair[0])
    path = tuple(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return wrong_key(path, known_keys(path), file=file, line=line)
    return wrong_value(path, error["msg"].removeprefix("Value error, "), (), at=(file, line))


def known_keys(path: tuple[str, ...] = ()) -> list[str]:
    """Every setting as a dotted name; those of a model under the model that `path` names."""
    model = path[1] if len(path) > 1 and path[0] == "models" else "NAME"
    return list(_names(Settings, "", model))


def _names(table: type[Table], before: str, model: str) -> list[str]:
    names: list[str] = []
    for name, field in table.model_fields.items():
        inner: Any = field.annotation
        if name == "models":
            names += _names(ModelSettings, f"{before}models.{model}.", model)
        elif name == "prices":
            names += _names(Prices, f"{before}prices.", model)
        elif isinstance(inner, type) and issubclass(inner, Table):
            names += _names(inner, f"{before}{name}.", model)
        else:
            names.append(before + name)
    return names


def add_model(file: Path, name: str, model: ModelSettings) -> Settings:
    """Write `[models.NAME]`, replacing one of that name, and give back the settings as they now are.

    Only what differs from the defaults is written. Raises ConfigError; then the file is as it was.
    """
    if not re.fullmatch(r"[^\s\x00-\x1f\x7f]{1,100}", name):
        raise ConfigError("a model's name has 1–100 characters and no blanks", file=str(file), key="models")
    fields = model.model_dump(mode="json", exclude_defaults=True, exclude_none=True)

    def change(document: Any) -> None:
        models = document.setdefault("models", {})
        models[name] = fields

    return _edit(file, change)


def set_mode(file: Path, name: str, mode: Literal["native", "envelope"]) -> Settings:
    """Set how the model `name` calls tools (R-MOD-10). Raises ConfigError; then the file is as it was."""

    def change(document: Any) -> None:
        document["models"][name]["mode"] = mode

    return _edit(file, change)


def use_model(file: Path, name: str) -> Settings:
    """Set `default_model`. Raises ConfigError: unknown model, with those that there are."""
    return _edit(file, lambda document: document.update({"default_model": name}))


def _edit(file: Path, change: Callable[[Any], None]) -> Settings:
    edit_toml(file, change, lambda text: parse_settings(text, str(file)))
    return load_settings(file)
