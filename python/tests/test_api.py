"""Checks that stubs, the package at run time and the reference agree."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from pathlib import Path

from conftest import ROOT

import threshr
from threshr import _threshr

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import reference  # noqa: E402


def functions(body: list[ast.stmt]) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def parameters(node: ast.FunctionDef) -> list[tuple[str, str, object]]:
    """Returns name, kind and default of each parameter of a stub."""
    found: list[tuple[str, str, object]] = []
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    defaults = [None] * missing + list(arguments.defaults)
    for argument, default in zip(positional, defaults):
        found.append((argument.arg, "positional", "none" if default is None else ast.literal_eval(default)))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append((argument.arg, "keyword", "none" if default is None else ast.literal_eval(default)))
    return [entry for entry in found if entry[0] not in ("self", "cls")]


def runtime(callable_: object) -> list[tuple[str, str, object]]:
    found = []
    for parameter in inspect.signature(callable_).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        kind = "keyword" if parameter.kind is parameter.KEYWORD_ONLY else "positional"
        default = "none" if parameter.default is parameter.empty else parameter.default
        found.append((parameter.name, kind, default))
    return found


def test_stubs_and_runtime_agree():
    stub = ast.parse((Path(threshr.__file__).parent / "_threshr.pyi").read_text(encoding="utf-8"))
    declared = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    values = {ast.unparse(node.target) for node in stub.body if isinstance(node, ast.AnnAssign)}
    declared |= {name for name in values if not name.startswith("_")}
    present = {name for name in dir(_threshr) if not name.startswith("_")}
    assert declared == present
    for name, node in functions(stub.body).items():
        assert runtime(getattr(_threshr, name)) == parameters(node), name
    for node in stub.body:
        if not isinstance(node, ast.ClassDef):
            continue
        kind = getattr(_threshr, node.name)
        members = functions(node.body)
        public = {name for name in vars(kind) if not name.startswith("_")}
        assert public == {name for name in members if not name.startswith("_")}, node.name
        assert kind.__doc__, node.name
        for name, member in members.items():
            attribute = vars(kind).get(name)
            is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in member.decorator_list)
            assert is_property == inspect.isgetsetdescriptor(attribute), f"{node.name}.{name}"
            if not name.startswith("_"):
                assert getattr(kind, name).__doc__, f"{node.name}.{name} has no documentation"
            if not is_property and not name.startswith("__"):
                assert runtime(getattr(kind, name)) == parameters(member), f"{node.name}.{name}"
    assert runtime(_threshr.Extractor) == parameters(functions(_class(stub, "Extractor").body)["__new__"])


def _class(stub: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)


def test_options_are_those_of_the_extractor():
    from threshr._options import Options

    assert set(Options.__annotations__) == set(inspect.signature(threshr.Extractor).parameters)


def test_options_are_those_of_the_builder_and_the_command_line():
    page = (ROOT / "docs/reference/options.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    keywords = {row[2].strip("`") for row in rows}
    assert keywords == set(inspect.signature(threshr.Extractor).parameters)


def test_everything_public_has_documentation():
    for name in threshr.__all__:
        if name != "__version__":
            assert getattr(threshr, name).__doc__, name
    assert threshr.__all__ == sorted(threshr.__all__)
    assert all(hasattr(threshr, name) for name in threshr.__all__)


def test_the_reference_is_complete():
    public = {name for name in dir(threshr) if not name.startswith("_") and not inspect.ismodule(getattr(threshr, name))}
    documented = {name for names in reference._ORDER.values() for name in names}
    assert documented == public
    text = reference.page()
    for name in public:
        assert f"### {name}\n" in text, name
        kind = getattr(threshr, name)
        members = dir(kind) if isinstance(kind, type) and not issubclass(kind, Exception) else []
        for member in members:
            if member not in dir(tuple) and not member.startswith("_") and kind.__module__.startswith("threshr"):
                assert f"`{member}: " in text or f"#### {name}.{member}\n" in text, f"{name}.{member}"


def test_the_reference_is_generated():
    path = ROOT / "docs" / "reference" / "python.md"
    text = reference.page()
    if os.environ.get("THRESHR_BLESS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "write it again with THRESHR_BLESS=1"
