"""Tests of the builds and uploads in the release workflow."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, need

import threshr

need("yaml")
import yaml  # noqa: E402

WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"


@pytest.fixture(scope="module")
def jobs() -> dict:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]


def commands(job: dict) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_the_tag_is_the_version(jobs):
    if os.name == "nt" or shutil.which("bash") is None:
        pytest.skip("this system has no bash")

    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([str(ROOT / ".ci" / "version"), *arguments], capture_output=True, text=True)

    assert run().stdout.strip() == threshr.__version__
    assert run(f"v{threshr.__version__}").returncode == 0
    for wrong in (threshr.__version__, f"v{threshr.__version__}.1", "v99.0.0", ""):
        assert run(wrong).returncode == 1 and "expected v" in run(wrong).stderr
    assert ".ci/version" in commands(jobs["version"])
    assert all("version" in job["needs"] for name, job in jobs.items() if name != "version")


def test_programs_are_packed_for_all_systems_and_attached(jobs):
    programs = [entry["target"] for entry in jobs["programs"]["strategy"]["matrix"]["include"]]
    wheels = [entry["target"] for entry in jobs["wheels"]["strategy"]["matrix"]["system"]]
    assert set(programs) == {target for target in wheels if not target.endswith("-gnu")}
    assert {"x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-apple-darwin"} < set(programs)
    assert any(version.endswith("t") for version in jobs["wheels"]["strategy"]["matrix"]["python"])
    attached = jobs["publish-programs"]
    assert "gh release upload" in commands(attached) and attached["permissions"] == {"contents": "write"}
    built = {name for name in jobs if not name.startswith("publish-")}
    for name in jobs.keys() - built:
        assert set(jobs[name]["needs"]) == built and "refs/tags/v" in jobs[name]["if"]


def test_every_program_of_the_workflow_exists(jobs):
    called = re.findall(r"(?m)(?:^|&& |\$\(|python )((?:release|\.ci)/[\w-]+)", "\n".join(map(commands, jobs.values())))
    assert {"release/program", "release/image", "release/address", "release/smoke"} <= set(called)
    for name in called:
        assert os.access(ROOT / name, os.X_OK), name


def test_the_address_of_the_repository_is_in_all_packages(tmp_path):
    tomllib = pytest.importorskip("tomllib")
    manifests = [ROOT / "Cargo.toml", *ROOT.glob("crates/*/Cargo.toml"), ROOT / "python" / "pyproject.toml"]
    for path in [*manifests, ROOT / "crates/wasm/npm/package.json", ROOT / "release/address"]:
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)

    def run(*arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, str(tmp_path / "release/address"), *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    address = "https://git.example/o/threshr"
    for wrong in ([], ["git.example"], ['https://a"b']):
        assert run(*wrong).returncode == 1 and "Usage" in run(*wrong).stderr
    assert run(address).returncode == 0
    again = run(address)
    assert again.returncode == 1 and "already" in again.stderr

    def table(path: str) -> dict:
        return tomllib.loads((tmp_path / path).read_text(encoding="utf-8"))

    assert table("Cargo.toml")["workspace"]["package"]["repository"] == address
    for path in ["Cargo.toml", *(str(path.relative_to(ROOT)) for path in ROOT.glob("crates/*/Cargo.toml"))]:
        assert table(path)["package"]["repository"] == {"workspace": True}, path
    assert table("python/pyproject.toml")["project"]["urls"]["Repository"] == address
    package = json.loads((tmp_path / "crates/wasm/npm/package.json").read_text(encoding="utf-8"))
    assert package["repository"]["url"] == f"git+{address}.git"
