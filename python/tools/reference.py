"""Writes docs/reference/python.md from the documentation and the types of the package."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import threshr

_ORDER = {
    "Extract": ["extract", "Extractor", "Extraction", "Block", "Metadata", "Quality"],
    "Batches": ["extract_batch", "Table"],
    "Files of pages": ["read_pages", "read_index", "PageReader", "RawPage"],
    "Models": [
        "train",
        "adapt",
        "evaluate",
        "compare",
        "features",
        "Model",
        "Adapted",
        "SiteGain",
        "Scores",
        "PageScore",
        "Compared",
    ],
    "Errors": [
        "Error",
        "PageError",
        "NotHtmlError",
        "TooLargeError",
        "PageTimeoutError",
        "DataError",
        "FileError",
        "FeaturesError",
        "ClassifierError",
        "ModelError",
        "OptionError",
        "ArgumentTypeError",
    ],
}


def _nodes() -> dict[str, ast.stmt]:
    """The declarations of the package: stubs of the compiled part, and sources of the others."""
    folder = Path(threshr.__file__).parent
    found: dict[str, ast.stmt] = {}
    for name in ("_threshr.pyi", "_types.py", "_extract.py", "_training.py", "_errors.py"):
        for node in ast.parse((folder / name).read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                # Wrappers replace the functions of the compiled part.
                found[node.name] = node
    return found


def _signature(node: ast.FunctionDef, name: str) -> str:
    result = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__new__" else ""
    parts = ast.unparse(node.args).removeprefix("self, ").removeprefix("self").removeprefix("cls, ")
    line = f"{name}({parts}){result}"
    if len(line) <= 100:
        return line
    pieces, depth, piece = [], 0, ""
    for character in parts:
        depth += (character in "[(") - (character in "])")
        if character == "," and depth == 0:
            pieces.append(piece.strip())
            piece = ""
        else:
            piece += character
    pieces.append(piece.strip())
    return f"{name}(\n" + "".join(f"    {piece},\n" for piece in pieces) + f"){result}"


def _text(documented: object) -> str:
    return inspect.cleandoc(getattr(documented, "__doc__", None) or "")


def _fields(node: ast.ClassDef) -> list[str]:
    """The documented fields of a class of Python."""
    lines = []
    for field, following in zip(node.body, node.body[1:]):
        is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and is_text:
            name, kind = ast.unparse(field.target), ast.unparse(field.annotation)
            lines.append(f"- `{name}: {kind}`: {' '.join(str(following.value.value).split())}")
    return lines


def _class(node: ast.ClassDef) -> list[str]:
    kind = getattr(threshr, node.name)
    constructor = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__new__"), None)
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    head = _signature(constructor, node.name) if constructor else f"class {node.name}" + (f"({bases})" if bases else "")
    lines = [f"### {node.name}", "", "```python", head, "```", "", _text(kind), ""]
    fields, methods = _fields(node), []
    for member in node.body:
        if not isinstance(member, ast.FunctionDef) or (member.name.startswith("_") and member.name != "__getitem__"):
            continue
        text = _text(getattr(kind, member.name))
        if any(isinstance(d, ast.Name) and d.id == "property" for d in member.decorator_list):
            assert member.returns is not None
            fields.append(f"- `{member.name}: {ast.unparse(member.returns)}`: {' '.join(text.split())}")
        else:
            code = ["```python", _signature(member, member.name), "```", ""]
            methods += [f"#### {node.name}.{member.name}", "", *code, text, ""]
    return [*lines, *fields, *([""] if fields else []), *methods]


def page() -> str:
    """The page."""
    nodes = _nodes()
    lines = ["# Python", "", "<!-- Generated from the documentation of the package by python/tools/reference.py. -->", ""]
    lines += ["[The guide](../guide/python.md) shows how to use the package `threshr`.", ""]
    for heading, names in _ORDER.items():
        lines += [f"## {heading}", ""]
        for name in names:
            node = nodes[name]
            if isinstance(node, ast.ClassDef):
                lines += _class(node)
            else:
                assert isinstance(node, ast.FunctionDef)
                code = ["```python", _signature(node, name), "```", ""]
                lines += [f"### {name}", "", *code, _text(getattr(threshr, name)), ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(page(), end="")
