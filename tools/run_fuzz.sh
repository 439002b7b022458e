#!/usr/bin/env bash
# Runs every libFuzzer target of a build for an equal share of the time, but for at least 10 s each;
# a crash fails. Says of each what it found and how much of the code it has reached.
#
#   tools/run_fuzz.sh BUILD_DIR SECONDS [JOBS]
#
# FUZZ_SEED in the environment fixes what is tried first; else every run tries something else.
# Seeds are read from tests/fuzz/corpus/<target>/, a dictionary from tests/fuzz/<target>.dict.
# New inputs go to BUILD_DIR/fuzz_corpus/<target>/ and are kept for the next run; an input that
# crashes goes to BUILD_DIR/fuzz_artifacts/ and, once fixed, belongs among the seeds.
set -euo pipefail

build=$(cd "$1" && pwd)
seconds=$2
jobs=${3:-1}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
least_share=10

shopt -s nullglob
targets=()
for file in "$build"/fuzz/*; do
  if [[ -f $file && -x $file ]]; then targets+=("$file"); fi
done
if [[ ${#targets[@]} -eq 0 ]]; then
  if [[ -f $source/tests/fuzz/CMakeLists.txt ]]; then
    echo "run_fuzz: tests/fuzz has targets but none is built in $build/fuzz" >&2
    exit 1
  fi
  echo "run_fuzz: there are no fuzz targets yet"
  exit 0
fi

share=$((seconds * jobs / ${#targets[@]}))
if ((share < least_share)); then share=$least_share; fi
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
symbolizer=$(command -v llvm-symbolizer-19 || true)
if [[ -n $symbolizer ]]; then export ASAN_SYMBOLIZER_PATH=$symbolizer; fi
artifacts=$build/fuzz_artifacts
mkdir -p "$artifacts"
rm -f "$artifacts"/*.failed

# The number behind `label` in the last line of the log that has one.
last_number() {
  sed -nE "s/.*[[:space:]]$1:? ([0-9]+).*/\1/p" "$2" | tail -n 1 | grep . || echo "?"
}
stat_of() {
  sed -n "s/^stat::$1: *//p" "$2" | grep . || echo "?"
}

# One line: "fuzz cycles: 12345 runs in 10 s, 7 new inputs, nothing found; 1200 of 30000 edges, ..."
report() {
  local name=$1 log=$2 found=$3 edges_of
  edges_of=$(sed -nE 's/^INFO: Loaded 1 modules +\(([0-9]+) inline.*/\1/p' "$log" | head -n 1)
  echo "fuzz $name: $(stat_of number_of_executed_units "$log") runs in $share s," \
    "$(stat_of new_units_added "$log") new inputs, $found;" \
    "reached $(last_number cov "$log") of ${edges_of:-?} edges," \
    "$(last_number ft "$log") features"
}

run_target() {
  local target=$1 name corpus log found
  name=$(basename "$target")
  corpus=$build/fuzz_corpus/$name
  log=$artifacts/$name.log
  mkdir -p "$corpus"
  local options=(-max_total_time="$share" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
    -seed="${FUZZ_SEED:-0}" -artifact_prefix="$artifacts/$name-")
  if [[ -f $source/tests/fuzz/$name.dict ]]; then
    options+=(-dict="$source/tests/fuzz/$name.dict")
  fi
  local folders=("$corpus")
  if [[ -d $source/tests/fuzz/corpus/$name ]]; then
    folders+=("$source/tests/fuzz/corpus/$name")
  fi

  if "$target" "${options[@]}" "${folders[@]}" >"$log" 2>&1; then
    report "$name" "$log" "nothing found"
  else
    touch "$artifacts/$name.failed"
    found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    tail -n 60 "$log"
    report "$name" "$log" "FAILED (input: ${found:-none kept}; log: $log)"
  fi
}

for target in "${targets[@]}"; do
  while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
  run_target "$target" &
done
wait
failed=("$artifacts"/*.failed)
[[ ${#failed[@]} -eq 0 ]]
