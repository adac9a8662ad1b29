#!/usr/bin/env bash
# Builds the sdist, and the wheel from it; both must hold what git tracks. Then the wheel is installed in a fresh
# environment outside the repository, builds a C kernel and a Spatial program, and type-checks what a user would write.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check build
"$work/tools/bin/python" -m build --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$python" .ci/check_contents.py "$work"/dist/*

"$python" -m venv "$work/user"
"$work/user/bin/pip" install --quiet --disable-pip-version-check "$work"/dist/*.whl mypy
cp -r samples/c samples/spatial "$work"
cp -r samples/plugin "$work/plugin"
"$work/user/bin/pip" install --quiet --disable-pip-version-check "$work/plugin" pytest
"$python" .ci/check_contents.py --blocks docs/extending.md "$work/blocks"

cd "$work"
PATH="$work/user/bin:$PATH"
tunepass --version
tunepass build c/stencil.c -o out --max-evals 3 -- "${CC:-cc}" -O2
tunepass build spatial/DotProduct.scala -o out --device stratix-v --objective cycles,alms --max-evals 20
tunepass verify spatial
tunepass plugins
tunepass build plugin/copy.plan -o out --strategy hill_climber --max-evals 5
tunepass verify plugin/copy.plan
python -m pytest -q -p no:cacheprovider plugin/tests
mypy --strict -p tunepass_plan
for block in blocks/*.py; do
    mypy --strict "$block"
    (cd "$root" && python "$work/$block")
done
echo "the sdist and the wheel are whole"
