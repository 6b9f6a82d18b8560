#!/usr/bin/env bash
# On a machine with a GPU: the tests that a GPU can settle, then what a fix is worth. Each has its time limit;
# together they stay under four minutes. PYTHON chooses the interpreter; figures are also written to $OUT if it is set.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
python="${PYTHON:-python}"
device="${DEVICE:-cuda}"

timeout 110 "$python" -m pytest -m gpu --device="$device" tests
tests=$?
timeout 120 "$python" benchmarks/speedup.py --device "$device" ${QUICK:+--quick} ${OUT:+--json "$OUT/speedup.json"}
speedup=$?
echo "gpu_check: tests $tests, speedup $speedup"
exit $((tests != 0 || speedup != 0))
