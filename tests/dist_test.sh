#!/usr/bin/env bash
# Makes the binary tarball and runs it in a root that holds glibc and nothing else, as on a bare
# machine of this distribution.
#
#   tests/dist_test.sh BUILD_DIR
#
# Exit 77 (skipped) where a root cannot be changed or glibc's files cannot be listed.
set -euo pipefail

build=$1
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

skip() {
  echo "dist_test: skipped: $*"
  exit 77
}
fail() {
  echo "dist_test: FAILED: $*" >&2
  exit 1
}

command -v dpkg >/dev/null || skip "no dpkg here to list the files of glibc"
command -v patchelf >/dev/null || skip "no patchelf here; tools/install_deps.sh dist"

work=$(mktemp -d "${TMPDIR:-/tmp}/lockstep_dist.XXXXXX")
trap 'rm -rf "$work"' EXIT

# One tree with and without /usr, since packages differ in which of the two they name.
root=$work/root
mkdir -p "$root/usr/lib" "$root/usr/lib64" "$root/opt"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"
while read -r file; do
  if [[ -f $file ]]; then
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  fi
done < <(dpkg -L "libc6:$(dpkg --print-architecture)" | grep -E '^(/usr)?/lib[^/]*/([^/]*/)?[^/]*\.so[^/]*$')

# The smallest program of that root is its loader: can it run at all?
loader=$(cd "$root" && find . -name 'ld-linux*.so.*' -print -quit | cut -c2-)
[[ -n $loader ]] || skip "libc6 lists no loader"
if [[ $EUID -eq 0 ]] && chroot "$root" "$loader" --version >/dev/null 2>&1; then
  enter=(chroot "$root")
elif unshare -r chroot "$root" "$loader" --version >/dev/null 2>&1; then
  enter=(unshare -r chroot "$root")
else
  skip "neither chroot nor unshare -r chroot is allowed here"
fi

tarball=$("$source/tools/make_dist.sh" "$build" "$work/dist")
again=$("$source/tools/make_dist.sh" "$build" "$work/again")
cmp "$tarball" "$again" || fail "two tarballs of one build differ"

tar --extract --no-same-owner --directory "$root/opt" --file "$tarball"
name=$(basename "$tarball" .tar.gz)
cp "$source/examples/llama_eager.json.gz" "$root/example.json.gz"
program=/opt/$name/bin/lockstep

# The loader learns what $ORIGIN is from /proc, which this root has not.
mkdir -p "$root/proc/self"
ln -s "$program" "$root/proc/self/exe"

# No environment: neither LD_LIBRARY_PATH nor a locale may be what makes it work.
run() {
  env -i PATH="$PATH" "${enter[@]}" "$program" "$@"
}

run --version || fail "'lockstep --version' does not run in the bare root"
run info /example.json.gz >"$work/info" || fail "'lockstep info' does not run in the bare root"
[[ -s $work/info ]] || fail "'lockstep info' printed nothing"

for file in LICENSE lib/libstdc++.so.6 lib/libgcc_s.so.1 share/man/man1/lockstep.1 \
  share/man/man1/lockstep-kernel-decode.1 share/bash-completion/completions/lockstep \
  share/zsh/site-functions/_lockstep share/fish/vendor_completions.d/lockstep.fish; do
  [[ -f $root/opt/$name/$file ]] || fail "the tarball has no $file"
done

# The test of the test: without its own lib/ the program must not start, or nothing was hidden.
mv "$root/opt/$name/lib" "$root/opt/$name/lib.away"
if run --version >/dev/null 2>&1; then
  fail "the program starts without its shared objects: the root is not bare"
fi
echo "dist_test: $name runs in a root of glibc alone"
