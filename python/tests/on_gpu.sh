#!/usr/bin/env bash
# Tests a wheel on a machine with a GPU, CPython 3.12, PyTorch and gmpy2: on_gpu.sh WHEEL [OUT]
# With OUT, the benchmark's part for a GPU writes its JSON there.
set -euo pipefail
wheel=$(realpath "$1")
out=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The environment's own packages stay visible: PyTorch is among them.
"$python" -m venv --system-site-packages "$work/environment"
"$work/environment/bin/python" -m pip install --quiet --no-index --no-deps "$wheel"
# Test tools that are not installed come from the index where there is one.
"$work/environment/bin/python" -c 'import pytest' 2>/dev/null ||
    "$work/environment/bin/python" -m pip install --quiet pytest
cd "$work"
"$work/environment/bin/python" -m pytest -q -p no:cacheprovider "$here/test_gpu.py"
"$work/environment/bin/bezout" devices
if [ -n "$out" ]; then
    "$work/environment/bin/python" "$here/../bench.py" --gpu --out "$out"
fi
