#!/usr/bin/env bash
# Measures the in-kernel profiler on the GPU of this machine and prints the tables of
# docs/benchmarks-kernel-profiler.md.
#
#   benchmarks/kernel_profiler/run.sh [LIBRARY_FOLDER]
#
# LIBRARY_FOLDER holds lockstep and liblockstep_session.so; default: build/release. Needs nvcc.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=$(cd "${1:-$root/build/release}" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
arch=${ARCH:-native}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() {
  "$nvcc" -std=c++17 -O3 -arch="$arch" -I"$root/device/include" "$1" -o "$work/$2" \
    -L"$library" -llockstep_session -Xlinker -rpath="$library"
}
build "$root/benchmarks/kernel_profiler/marker_cost.cu" marker_cost &
build "$root/benchmarks/kernel_profiler/accuracy.cu" accuracy &
build "$root/examples/kernel-profiler/tiled_gemm.cu" tiled_gemm &
build "$root/examples/kernel-profiler/producer_consumer.cu" producer_consumer &
wait

echo "## Cost of markers"
echo
"$work/marker_cost"
echo
echo "## What is recorded, against what is known"
echo
mkdir "$work/recordings"
"$work/accuracy" "$work/recordings"
python3 "$root/benchmarks/kernel_profiler/accuracy.py" "$library/lockstep" "$work/recordings" || true
echo
echo "## Whole kernels, about 50 markers a warp"
echo
for example in tiled_gemm producer_consumer; do
  (cd "$work" && "./$example" --bench) | tail -3
done
