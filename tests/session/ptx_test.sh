#!/usr/bin/env bash
# Fails where a .ptx of device/host is not what make_ptx.sh makes of its source now.
#
#   tests/session/ptx_test.sh FOLDER
#
# Exit 77 (skipped) without nvcc, or with one of another version: compilers write PTX differently.
set -euo pipefail

folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$folder/make_ptx.sh" "$work" || exit $?
for made in "$work"/*; do
  name=$(basename "$made")
  if [[ $(head -n 1 "$made") != $(head -n 1 "$folder/$name") ]]; then
    echo "ptx_test: skipped: $name was compiled otherwise: $(head -n 1 "$folder/$name")"
    exit 77
  fi
  if ! cmp -s "$made" "$folder/$name"; then
    echo "ptx_test: $name is stale: run device/host/make_ptx.sh" >&2
    diff "$folder/$name" "$made" | head -40 >&2
    exit 1
  fi
done
echo "$(ls "$work" | wc -l) files are fresh"
