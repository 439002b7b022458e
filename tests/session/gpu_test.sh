#!/usr/bin/env bash
# Compiles gpu_launches.cu against the built library and runs it on the GPU of this machine, then
# gpu_python.py where PyTorch and CuPy are.
#
#   tests/session/gpu_test.sh LIBRARY_FOLDER [WORK_FOLDER]     the .lkp files stay in WORK_FOLDER
#
# Exit 77 (skipped) without nvcc or a GPU.
set -euo pipefail

library=$(cd "$1" && pwd)
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if [[ ! -x $nvcc ]]; then
  echo "gpu_test: skipped: no nvcc here"
  exit 77
fi
if ! nvidia-smi >/dev/null 2>&1; then
  echo "gpu_test: skipped: no GPU here"
  exit 77
fi
work=${2:-$(mktemp -d)}
[[ -n ${2:-} ]] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"

"$nvcc" -std=c++17 -O3 -arch=native -I"$source/device/include" \
  "$source/tests/session/gpu_launches.cu" -o "$work/gpu_launches" \
  -L"$library" -llockstep_session -Xlinker -rpath="$library"
cd "$work"
./gpu_launches
LOCKSTEP_SESSION_LIBRARY=$library/liblockstep_session.so \
  python3 "$source/tests/session/gpu_python.py" "$source/device/include" || [[ $? == 77 ]]

# Every policy, for this GPU and through the code of those without a bulk copy.
for target in "-arch=native" "-gencode=arch=compute_80,code=compute_80"; do
  "$nvcc" -std=c++17 -O3 "$target" -I"$source/device/include" \
    "$source/tests/session/gpu_policies.cu" -o "$work/gpu_policies" \
    -L"$library" -llockstep_session -Xlinker -rpath="$library"
  ./gpu_policies "$work"
  python3 "$source/tests/session/gpu_policies.py" "$library/lockstep" "$work"
done
