#!/usr/bin/env bash
# run_all.sh BUILD_DIR: every test of faults in its long form; a line for each, and 1 if one failed.
set -uo pipefail
if [[ $# -ne 1 || ! -x $1/lockstep ]]; then
  echo "usage: run_all.sh BUILD_DIR (one that holds the built program)" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
logs=$build/faults
mkdir -p "$logs"

export LOCKSTEP_FAULTS=all
export LOCKSTEP_PROGRAM=$build/lockstep
export LOCKSTEP_FAKE_CUDA=$build/tests/session/driver/libcuda.so.1
export PYTHONDONTWRITEBYTECODE=1
shim=$build/tests/faults/liblockstep_faulty_calls.so
if [[ -f $shim ]]; then
  export LOCKSTEP_FAULTY_CALLS=$shim
fi

failed=0
# one NAME COMMAND...
one() {
  local name=$1 start=$SECONDS verdict=passed
  shift
  if ! "$@" >"$logs/$name.log" 2>&1; then
    verdict="FAILED, see $logs/$name.log"
    failed=1
  fi
  local skipped
  skipped=$(grep -c '^skipped ' "$logs/$name.log")
  printf '%-24s %5d s  %s' "$name" $((SECONDS - start)) "$verdict"
  if [[ $skipped -gt 0 ]]; then
    printf ' (%d skipped)' "$skipped"
  fi
  printf '\n'
}

for test in "$here"/*_test.py; do
  name=$(basename "$test" _test.py)
  one "$name" python3 "$test"
done
# Folders with more of them bring a script of their own.
for folder in mutations shortage; do
  if [[ -x $here/$folder/run_all.sh ]]; then
    one "$folder" "$here/$folder/run_all.sh" "$build"
  fi
done
if [[ -d ${LOCKSTEP_CORPUS:-} ]]; then
  one corpus_sweep python3 "$here/corpus_sweep.py" "$build/lockstep" "$LOCKSTEP_CORPUS"
fi
exit $failed
