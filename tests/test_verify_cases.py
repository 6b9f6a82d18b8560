"""The corpus of device bugs, run: bad programs fail or stay on the host, repaired and clean ones run on
the device.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from devlint.verify.harness import Job, Outcome, run_programs

CASES = Path(__file__).parent / "cases"

RUNS = {
    "availability-flag-without-call",
    "benchmark-latency-cuda-only",
    "chat-session-cuda-literal",
    "predictor-loads-gpu-checkpoint",
    "solver-cuda-tensor-types",
    "amp-train-loop-cuda-only",
    "annotated-device-compared",
    "autocast-bfloat16-inference",
    "autocast-cuda-fixed",
    "availability-flag-in-class",
    "availability-not-and-no-cuda",
    "availability-pin-memory",
    "card-name-in-log",
    "data-parallel-two-cards",
    "labels-cast-by-name",
    "noise-in-cuda-type",
    "peak-memory-of-a-step",
    "resume-from-checkpoint",
    "rl-dtype-alias",
    "scaler-default-device",
    "second-card-if-any-cuda",
    "set-device-two",
    "side-stream-prefetch",
    "availability-method-object",
    "cuda-float-tensor",
    "default-tensor-type",
    "device-literal-keyword",
    "plain-cuda-script",
    "r-benchmark-event-timing",
    "r-char-lstm-cuda-everywhere",
    "r-detector-availability-ternary",
    "r-generate-load-whole-model",
    "r-geodis-availability-not-called",
    "r-loss-module-default-tensor-type",
    "r-pose-demo-cuda-image",
    "r-reservoir-example-cuda",
    "r-saliency-net-cuda-script",
    "r-tracker-load-no-map-location",
    "sync-cuda-only",
    "variable-cuda-old-style",
}
"""Bad for a machine without CUDA only; with one they run, as they do here."""
COSTS = {
    "epoch-meters-keep-graph",
    "prototype-table-moved-each-batch",
    "constant-moved-each-step",
    "created-then-moved",
    "graph-kept-in-list",
    "r-speed-report-running-loss-graph",
}
"""Bad for speed or memory; they run on the device."""
WRONG_BRANCH = {
    "device-equals-plain-string",
    "device-in-tuple-of-names",
    "logits-device-not-cpu",
    "optimizer-of-model-that-was-rebuilt",
    "r-runner-half-on-cpu-compare",
}
"""Take the wrong branch, or train the wrong model, without failing."""
AT_HOME = {
    "chosen-cpu-evolution",
    "fabric-setup-owner",
    "lightning-vae-module",
    "model-zoo-file-without-moves",
    "unit-test-on-host",
    "legacy-type-of-the-host",
    "load-in-a-program-of-the-host",
    "numbers-that-are-no-cards",
    "accelerate-prepare",
    "buffer-assigned-later",
    "cpu-on-purpose",
    "dataset-statistics",
    "export-to-onnx-on-cpu",
    "functional-model-host-demo",
    "library-module-file",
    "lightning-module",
    "method-named-cuda",
    "pandas-and-pint-to",
    "probe-run-in-constructor",
    "r-conformer-stale-device-attribute",
    "strings-about-cuda",
    "tensors-stay-home",
}
"""Right programs that compute on the host, wholly or in part, by their own choice or for want of a
framework here.
"""

PROGRAMS = sorted(path for name in ("bad", "good", "clean") for path in CASES.glob(f"*/*/{name}.py"))


def settings(path: Path) -> dict[str, Any]:
    return tomllib.loads((path.parent / "case.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def outcomes() -> dict[Path, Outcome]:
    jobs = [Job(path, args=settings(path).get("args", []), devices=settings(path).get("gpus", 1)) for path in PROGRAMS]
    return dict(zip(PROGRAMS, run_programs(jobs), strict=True))


@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.stem == "bad"], ids=lambda path: path.parent.name)
def test_bad_program_fails_or_stays_on_the_host(path: Path, outcomes: dict[Path, Outcome]) -> None:
    outcome = outcomes[path]
    runs = path.parent.name in RUNS | COSTS | WRONG_BRANCH
    assert (outcome.ok and outcome.share >= 0.9) == runs, outcome.error


@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.stem != "bad"], ids=lambda path: path.parent.name)
def test_right_program_runs_on_the_device(path: Path, outcomes: dict[Path, Outcome]) -> None:
    outcome = outcomes[path]
    assert outcome.ok, outcome.error
    assert outcome.share >= 0.9 or path.parent.name in AT_HOME
