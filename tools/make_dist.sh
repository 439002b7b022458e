#!/usr/bin/env bash
# Packs a built program with the shared objects that it needs, for machines of the same
# distribution where nothing else is installed. The same build gives the same bytes.
#
#   tools/make_dist.sh [BUILD_DIR [OUTPUT_DIR]]      defaults: build/release build/dist
#
# Prints the path of the tarball.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$source/build/release}
output=${2:-$source/build/dist}

fail() {
  echo "make_dist: $*" >&2
  exit 1
}

[[ -x $build/lockstep ]] || fail "$build/lockstep is not built; run 'make build' first"
command -v patchelf >/dev/null || fail "patchelf is missing; run 'tools/install_deps.sh dist'"

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
# shellcheck source=/dev/null
distribution=$(. /etc/os-release && echo "$ID${VERSION_ID:-}")
name=lockstep-$version-$distribution-$(uname -m)

mkdir -p "$output"
stage=$(mktemp -d "$output/stage.XXXXXX")
trap 'rm -rf "$stage"' EXIT
root=$stage/$name

cmake --install "$build" --prefix "$root" --strip >/dev/null
mkdir -p "$root/lib" "$root/licenses"

# The C library belongs to the machine: the loader and its parts must be of one version.
is_glibc() {
  case $1 in
    ld-linux*.so.* | libc.so.6 | libm.so.6 | libmvec.so.1 | libpthread.so.0 | libdl.so.2 | \
      librt.so.1 | libresolv.so.2 | libutil.so.1 | libanl.so.1) return 0 ;;
    *) return 1 ;;
  esac
}

# The licence of a carried object, from the package that owns it. A package may know the path
# with or without the leading /usr.
copy_licence() {
  local real=$1 owner
  owner=$(dpkg-query -S "$real" "/usr$real" "${real#/usr}" 2>/dev/null || true)
  owner=${owner%%:*}
  if [[ -n $owner && -f /usr/share/doc/$owner/copyright ]]; then
    cp -L "/usr/share/doc/$owner/copyright" "$root/licenses/$owner.txt"
  fi
}

libraries=$(ldd "$root/bin/lockstep")
if grep -F 'not found' <<<"$libraries" >&2; then
  fail "the program needs shared objects that are not here"
fi
while read -r soname path; do
  is_glibc "$soname" && continue
  install -m 755 "$path" "$root/lib/$soname"
  # shellcheck disable=SC2016  # The loader expands it, not the shell.
  patchelf --set-rpath '$ORIGIN' "$root/lib/$soname"
  copy_licence "$(readlink -f "$path")"
done < <(sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' <<<"$libraries")

for file in README.md LICENSE CHANGELOG.md; do
  if [[ -f $source/$file ]]; then install -m 644 "$source/$file" "$root/$file"; fi
done

# 1980-01-01 where neither the caller nor git knows better.
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 315532800)}
tarball=$output/$name.tar.gz
tar --create --directory "$stage" --sort=name --mtime="@$epoch" --format=gnu \
  --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$name" |
  gzip -9 --no-name >"$stage/tarball"
mv "$stage/tarball" "$tarball"
echo "$tarball"
