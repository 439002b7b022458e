#!/usr/bin/env bash
# run_all.sh BUILD_DIR: every byte of small JSON documents, damaged.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
exec python3 "$here/structure_test.py" "$build/tests/faults/structures/lockstep_read_each" "$build/lockstep"
