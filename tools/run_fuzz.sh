#!/usr/bin/env bash
# Runs every libFuzzer target of a build for an equal share of the time; a crash fails.
#
#   tools/run_fuzz.sh BUILD_DIR SECONDS
#
# Seeds are read from tests/fuzz/corpus/<target>/, a dictionary from tests/fuzz/<target>.dict.
# New inputs go to BUILD_DIR/fuzz_corpus/<target>/ and are kept for the next run; an input that
# crashes goes to BUILD_DIR/fuzz_artifacts/ and, once fixed, belongs among the seeds.
set -euo pipefail

build=$(cd "$1" && pwd)
seconds=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

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

share=$((seconds / ${#targets[@]}))
((share > 0)) || share=1
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
symbolizer=$(command -v llvm-symbolizer-19 || true)
if [[ -n $symbolizer ]]; then export ASAN_SYMBOLIZER_PATH=$symbolizer; fi

failed=()
for target in "${targets[@]}"; do
  name=$(basename "$target")
  corpus=$build/fuzz_corpus/$name
  mkdir -p "$corpus" "$build/fuzz_artifacts"
  options=(-max_total_time="$share" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
    -artifact_prefix="$build/fuzz_artifacts/$name-")
  if [[ -f $source/tests/fuzz/$name.dict ]]; then
    options+=(-dict="$source/tests/fuzz/$name.dict")
  fi
  folders=("$corpus")
  if [[ -d $source/tests/fuzz/corpus/$name ]]; then
    folders+=("$source/tests/fuzz/corpus/$name")
  fi

  log=$build/fuzz_artifacts/$name.log
  if "$target" "${options[@]}" "${folders[@]}" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "fuzz $name: ${runs:-?} runs in $share s, nothing found"
  else
    tail -n 60 "$log"
    echo "fuzz $name: FAILED; the whole log is $log"
    failed+=("$name")
  fi
done
[[ ${#failed[@]} -eq 0 ]]
