#!/usr/bin/env bash
# Installs the library, its headers and the Python package, and uses them from there.
#
#   tests/session/install_test.sh BUILD_DIR FAKE_DRIVER
set -euo pipefail

build=$1
export LOCKSTEP_LIBCUDA=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/lockstep_install.XXXXXX")
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build/device" --prefix "$prefix" >/dev/null

cat >"$work/use.c" <<'C'
#include <lockstep/session.h>
int main(void) { return lockstep_version()[0] == '\0'; }
C
cat >"$work/use.cpp" <<'CPP'
#include <lockstep/kernel_session.h>
int main() { return lockstep::KernelSession().device().multiprocessors == 4 ? 0 : 1; }
CPP
library=$(dirname "$(find "$prefix" -name liblockstep_session.so)")
options=(-Wall -Wextra -Werror -I"$prefix/include" -L"$library" -llockstep_session
  -Wl,-rpath,"$library")
cc -std=c99 "$work/use.c" -o "$work/use_c" "${options[@]}"
c++ -std=c++17 "$work/use.cpp" -o "$work/use_cpp" "${options[@]}"
"$work/use_c"
"$work/use_cpp"

# The package finds the library of its own installation.
unset LOCKSTEP_SESSION_LIBRARY LD_LIBRARY_PATH
cd "$work"
PYTHONPATH=$prefix/share/lockstep/python python3 -c '
import lockstep
assert lockstep.KernelSession().device.name == "Fake H200"
print("lockstep", lockstep.library_version(), "from", lockstep.__path__[0])'
