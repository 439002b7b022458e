#!/usr/bin/env bash
# run_all.sh BUILD_DIR: 10,000 mutants of files of all formats; failing ones are kept in BUILD_DIR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
exec python3 "$here/mutation_test.py" "$build/lockstep" --mutants 10000 --jobs "$(nproc)" \
  --generator "$build/tools/trace_gen/lockstep-tracegen" --keep "$build/faults/mutants"
