#!/usr/bin/env bash
# run_all.sh BUILD_DIR: every sweep of too little memory and too few threads, in its long form.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
export LOCKSTEP_FAULTS=all
export LOCKSTEP_PROGRAM=$build/lockstep
export LOCKSTEP_TRACEGEN=$build/tools/trace_gen/lockstep-tracegen
export LOCKSTEP_SESSION_CALLS=$build/tests/faults/shortage/lockstep_session_calls
export LOCKSTEP_SHORTAGE_SHIM=$build/tests/faults/shortage/liblockstep_shortage_shim.so
if [[ ! -f $LOCKSTEP_SHORTAGE_SHIM ]]; then
  # It is not built where the program has a sanitizer.
  export LOCKSTEP_SANITIZED=yes
fi
failed=0
for name in allocation thread limits session; do
  python3 "$here/${name}_test.py" -v || failed=1
done
exit $failed
