#!/usr/bin/env bash
# Configures a preset of CMakePresets.json; speaks only when something is wrong.
#
#   tools/configure.sh PRESET [CMAKE_ARGUMENT]...
#
# A build folder that was made with another compiler than the preset's is made anew: CMake would drop all
# settings of the preset with the old compiler, a sanitizer among them, and go on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=$1
shift
cache=build/$preset/CMakeCache.txt
fresh=()
if [[ -f $cache ]]; then
  wanted=$(cmake -N --preset "$preset" | sed -n 's/^ *CMAKE_CXX_COMPILER[^=]*="\(.*\)"$/\1/p')
  used=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$cache")
  if [[ -n $wanted && $(basename "$used") != $(basename "$wanted") ]]; then fresh=(--fresh); fi
fi
exec cmake --log-level=WARNING "${fresh[@]}" --preset "$preset" "$@"
