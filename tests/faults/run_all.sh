#!/usr/bin/env bash
# run_all.sh BUILD_DIR: every test of faults in its long form; a line for each, what was skipped and
# why, and 1 if one failed.
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

passed=0 failed=0 skipped=0
# Prints one line, and a line for each reason to skip that the log has.
# tell NAME SECONDS VERDICT LOG
tell() {
  local reasons count
  # What unittest says with -v, and what other tests say of parts that they leave out.
  reasons=$(sed -nE "s/^.*\.\.\. skipped ['\"](.*)['\"]$/\1/p; s/^skipped: (.*)/\1/p" "$4")
  count=$(printf '%s' "$reasons" | grep -c '')
  skipped=$((skipped + count))
  printf '%-24s %5d s  ' "$1" "$2"
  if [[ $count -gt 0 ]]; then
    printf '%s, %d skipped\n' "${3/#passed/the rest passed}" "$count"
    printf '%s\n' "$reasons" | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/  \1 skipped: \2/'
  else
    printf '%s\n' "$3"
  fi
}

# one NAME COMMAND...
one() {
  local name=$1 start=$SECONDS verdict=passed log=$logs/$1.log
  shift
  if "$@" >"$log" 2>&1; then
    # A test of which every part was skipped has shown nothing.
    if tail -n 1 "$log" | grep -qE '^(OK \(skipped=|NO TESTS RAN)' && ! grep -qE '\.\.\. ok$' "$log"; then
      verdict="nothing ran"
    else
      passed=$((passed + 1))
    fi
  else
    verdict="FAILED, see $log"
    failed=$((failed + 1))
  fi
  tell "$name" $((SECONDS - start)) "$verdict" "$log"
}

# left_out NAME REASON
left_out() {
  echo "skipped: $2" >"$logs/$1.log"
  tell "$1" 0 "did not run" "$logs/$1.log"
}

for test in "$here"/*_test.py; do
  one "$(basename "$test" _test.py)" python3 "$test" -v
done
# Folders with more of them bring a script of their own.
for folder in "$here"/*/; do
  [[ $folder == */__pycache__/ ]] && continue
  one "$(basename "$folder")" bash "$folder/run_all.sh" "$build"
done
# Of these suites ctest runs a part.
damage=$build/src/formats/chrome_json/lockstep_formats_chrome_json_test
if [[ -x $damage ]]; then one every_byte "$damage" --gtest_filter='ChromeJsonReaderDamage.*'; fi
one every_cut env LOCKSTEP_EVERY=1 python3 "$here/../cycles/metamorphic_test.py" -v
one every_kernel env LOCKSTEP_EVERY=1 python3 "$here/../cycles/disturbed_models_test.py" -v
one every_stall env LOCKSTEP_EVERY=1 python3 "$here/../anomalies/planted_test.py" -v

if [[ -d ${LOCKSTEP_CORPUS:-} ]]; then
  one every_merge python3 "$here/../corpus/merged_ranks_test.py" "$build/lockstep"
  one corpus_sweep python3 "$here/corpus_sweep.py" "$build/lockstep" "$LOCKSTEP_CORPUS" \
    "$here/../../examples"
else
  left_out corpus_sweep "LOCKSTEP_CORPUS names no folder of real traces"
fi
echo "$passed passed, $failed failed, $skipped tests or parts skipped"
exit $((failed > 0))
