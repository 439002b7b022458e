#!/usr/bin/env bash
# Installs the missing packages on Debian 12 and Ubuntu 24.04; asks nothing and does nothing when
# all are there. Where it cannot, it says which of these it is: no root, no terminal, no network or
# no package.
#
#   tools/install_deps.sh GROUP...      groups: build test lint bench dist device
#
# This is the one list of packages; cmake/dependencies.cmake finds what they hold.
set -euo pipefail

# The groups; SC2034 because they are read by name.
# shellcheck disable=SC2034
{
  # To build the program.
  build=(g++ cmake ninja-build pkgconf python3
    libcli11-dev libfmt-dev libisal-dev libprotozero-dev libsimdjson-dev libsqlite3-dev
    libutf8proc-dev libxlsxwriter-dev libxxhash-dev libzstd-dev nlohmann-json3-dev)
  # To build and run the tests.
  test=(libbenchmark-dev libgmock-dev libgtest-dev libprotobuf-dev librapidcheck-dev
    patchelf protobuf-compiler)
  # The second compiler with libFuzzer and readable stack traces, and the formatter.
  lint=(clang-19 clang-format-19 libclang-rt-19-dev llvm-19)
  # What the benchmarks compare with.
  bench=(isal python3)
  # To make the binary tarball.
  dist=(patchelf)
  # To compile the headers for kernels as CUDA and HIP. Debian 12 has them in its security archive,
  # Ubuntu 24.04 has none: what is missing is said and its tests are skipped.
  device=(clang-22 lld-22)
}
optional_groups=(device)

fail() {
  echo "install_deps: $*" >&2
  exit 1
}

wanted=()
optional=()
for group in "$@"; do
  case $group in
    build | test | lint | bench | dist | device)
      declare -n packages=$group
      if [[ " ${optional_groups[*]} " == *" $group "* ]]; then
        optional+=("${packages[@]}")
      else
        wanted+=("${packages[@]}")
      fi
      ;;
    *) fail "unknown group '$group'; groups are build, test, lint, bench, dist and device" ;;
  esac
done
[[ $# -gt 0 ]] || fail "name at least one group: build, test, lint, bench, dist, device"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Another distribution: the names differ, so the build itself says what it does not find.
  echo "install_deps: apt is not here. Please install what these Debian packages hold:" \
    "${wanted[*]} ${optional[*]}" >&2
  exit 0
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" "${optional[@]}" \
  2>/dev/null || true)
is_missing() { ! grep -qxF "installed $1" <<<"$installed"; }
missing=()
for package in "${wanted[@]}"; do
  if is_missing "$package"; then missing+=("$package"); fi
done
optional_missing=()
for package in "${optional[@]}"; do
  if is_missing "$package"; then optional_missing+=("$package"); fi
done
[[ $((${#missing[@]} + ${#optional_missing[@]})) -gt 0 ]] || exit 0

# sudo asks on the terminal, whatever standard input is.
has_terminal() { (: </dev/tty) 2>/dev/null; }

as_root=(env)
if [[ $EUID -ne 0 ]]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n env)
  elif [[ ${#missing[@]} -eq 0 ]]; then
    exit 0 # nobody is asked for a password for what can be done without
  elif ! command -v sudo >/dev/null; then
    fail "no root: packages are missing, and there is neither root nor sudo to install them." \
      "Please have these installed: ${missing[*]}"
  elif ! has_terminal; then
    fail "no terminal: sudo wants a password and has no terminal to ask on. Please run" \
      "this in a terminal or as root, or have these installed: ${missing[*]}"
  else
    sudo true || fail "no root: sudo refused. Please have these installed: ${missing[*]}"
    as_root=(sudo env)
  fi
fi

log=$(mktemp "${TMPDIR:-/tmp}/install_deps.XXXXXX")
trap 'rm -f "$log"' EXIT

# Runs apt-get, shown and kept in $log; in English, because what it says is read.
apt() {
  "${as_root[@]}" LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=300 "$@" 2>&1 | tee "$log"
}
# Whether it was stopped by the network.
network_failed() {
  grep -qE 'Could not resolve|failure resolving|Could not connect|Cannot initiate the connection|Unable to connect|Connection (failed|refused|timed out)|(Network|No route|Host) is unreachable|No route to host' "$log"
}
# The packages that apt does not know, or knows by name only.
unknown_packages() {
  sed -nE -e 's/^E: Unable to locate package (.*)/\1/p' \
    -e "s/^E: Package '(.*)' has no installation candidate/\1/p" "$log" | sort -u | tr '\n' ' '
}
fail_to_install() {
  local unknown
  unknown=$(unknown_packages)
  if network_failed || [[ -n $unknown && -n $no_network ]]; then
    fail "no network: apt-get cannot reach the servers of its packages. Please connect this machine" \
      "(or set http_proxy) and try again; wanted are: ${missing[*]}"
  elif [[ -n $unknown ]]; then
    fail "no package: this distribution has no ${unknown% }. Debian 12 and Ubuntu 24.04 have all" \
      "(on Ubuntu in the component 'universe'); elsewhere install by hand what they hold"
  fi
  fail "apt-get could not install: ${missing[*]}; what it said stands above"
}

echo "install_deps: installing ${missing[*]} ${optional_missing[*]}"
# Without the mode, apt-get calls it a success when no server answers.
no_network=
if ! apt update -o APT::Update::Error-Mode=any; then
  if network_failed; then no_network=yes; fi
  echo "install_deps: apt-get update failed; trying with the lists at hand" >&2
fi
if [[ ${#missing[@]} -gt 0 ]]; then
  apt install -y --no-install-recommends "${missing[@]}" || fail_to_install
fi
if [[ ${#optional_missing[@]} -gt 0 ]]; then
  apt install -y --no-install-recommends "${optional_missing[@]}" ||
    echo "install_deps: not to be had here: ${optional_missing[*]}; tests that need them are" \
      "skipped" >&2
fi
