"""Tests of the builds and uploads in the release workflow."""

from __future__ import annotations

import os
import shutil
import subprocess

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
    targets = {name: [entry["target"] for entry in jobs[name]["strategy"]["matrix"]["include"]] for name in ("wheels", "programs")}
    assert targets["programs"] == targets["wheels"] and "x86_64-apple-darwin" in targets["programs"]
    compressed = commands(jobs["programs"])
    assert "install -m 755" in compressed and "tar -czf" in compressed and "rustup target add" in compressed
    uploaded = [step["with"] for step in jobs["programs"]["steps"] if "upload-artifact" in step.get("uses", "")]
    assert uploaded and "tar.gz" in uploaded[0]["path"] and "target/" not in uploaded[0]["path"]
    attached = jobs["publish-programs"]
    assert "gh release upload" in commands(attached) and attached["permissions"] == {"contents": "write"}
    for name in ("publish-wheels", "publish-programs", "publish-crates"):
        assert set(jobs[name]["needs"]) == {"version", "wheels", "sdist", "programs"}
        assert "refs/tags/v" in jobs[name]["if"]
