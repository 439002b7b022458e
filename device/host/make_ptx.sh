#!/usr/bin/env bash
# Compiles the embedded kernels of this folder to the PTX that is kept beside them.
#
#   device/host/make_ptx.sh [FOLDER]     default: this folder; needs nvcc (NVCC names another one)
#
# Exit 77 (skipped) without nvcc. The ISA version is lowered to the oldest one that has what the
# kernels use, so that older drivers load them too; ptxas says whether it still holds.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
into=${1:-$here}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if [[ ! -x $nvcc ]]; then
  echo "make_ptx: skipped: no nvcc here"
  exit 77
fi

version=$("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')

# compile NAME ARCHITECTURE ISA_VERSION
compile() {
  local name=$1 arch=$2 isa=$3
  local out=$into/${name}_sm$arch.ptx
  local made
  made=$(mktemp -d)
  "$nvcc" -std=c++17 -O3 -ptx -arch="compute_$arch" -I"$here/../include" "$here/$name.cu" -o "$made/out.ptx"
  # Without comments, the first of which names the compiler's build, and without the scopes' indent.
  echo "// By make_ptx.sh with nvcc $version" >"$out"
  sed -e 's/^[[:space:]]*//' -e '/^\/\//d' -e '/^$/d' -e "s/^\.version .*/.version $isa/" \
    "$made/out.ptx" >>"$out"
  "$(dirname "$nvcc")/ptxas" -arch="sm_$arch" "$out" -o "$made/out.cubin"
  rm -r "$made"
}

compile advance 80 7.0
compile advance 90 7.8
compile overhead 80 7.0
compile overhead 90 8.0
