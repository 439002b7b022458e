#!/usr/bin/env bash
# Configures a preset of CMakePresets.json; speaks only when something is wrong.
#
#   tools/configure.sh PRESET [CMAKE_ARGUMENT]...
#
# A build folder that was made with another compiler than the preset's is made anew: CMake would drop all
# settings of the preset with the old compiler, a sanitizer among them, and go on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# `cmake -N --preset` says it in some versions of CMake only.
compiler_of() {
  python3 - "$1" <<'END'
import json, sys

presets = {preset["name"]: preset for preset in json.load(open("CMakePresets.json"))["configurePresets"]}


def compiler_of(name):
    own = presets[name].get("cacheVariables", {}).get("CMAKE_CXX_COMPILER")
    above = presets[name].get("inherits", [])
    return own or next(filter(None, map(compiler_of, [above] if isinstance(above, str) else above)), None)


print(compiler_of(sys.argv[1]) or "")
END
}

preset=$1
shift
cache=build/$preset/CMakeCache.txt
fresh=()
if [[ -f $cache ]]; then
  wanted=$(compiler_of "$preset")
  used=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$cache")
  if [[ -n $wanted && $(basename "$used") != $(basename "$wanted") ]]; then fresh=(--fresh); fi
fi
exec cmake --log-level=WARNING "${fresh[@]}" --preset "$preset" "$@"
