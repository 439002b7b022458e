#!/usr/bin/env python3
"""tools/install_deps.sh says why it cannot install, each reason in words of its own.

    install_deps_test.py SCRIPT

Commands that it calls are stubs in a folder that is the whole PATH, so nothing is installed and no
machine is asked for anything. Root is not told apart by a stub: as root this runs as another user.
"""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path()
TOOLS = ["bash", "cat", "env", "grep", "mktemp", "rm", "sed", "sort", "tee", "tr", "true"]
NOBODY = 65534

# What apt-get 2.6 says.
NO_NETWORK = """\
W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  \
Temporary failure resolving 'deb.debian.org'
E: Some index files failed to download. They have been ignored, or old ones used instead."""
NO_NETWORK_FOR_A_PACKAGE = """\
E: Failed to fetch http://deb.debian.org/debian/pool/main/g/g.deb  Cannot initiate the connection \
to deb.debian.org:80 (1.2.3.4). - connect (101: Network is unreachable)
E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?"""
NO_PACKAGE = """\
E: Unable to locate package ninja-build
E: Package 'libfmt-dev' has no installation candidate"""
BROKEN = "E: dpkg was interrupted, you must manually run 'dpkg --configure -a'"

SUDO_WITHOUT_PASSWORD = '[ "$1" = -n ] && shift; exec "$@"'
SUDO_WITH_PASSWORD = '[ "$1" = -n ] && exit 1; exec "$@"'
SUDO_THAT_REFUSES = "exit 1"


class InstallDeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o777)
        for tool in TOOLS:
            (self.folder / tool).symlink_to(shutil.which(tool))
        self.stub("dpkg-query", "exit 1")  # nothing is installed
        self.stub("apt-get", "exit 0")

    def stub(self, name, body):
        path = self.folder / name
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
        path.chmod(0o755)

    def apt_get(self, update="", install=""):
        """An apt-get whose two commands say this and fail; with '' they succeed."""
        cases = []
        for command, said in (("update", update), ("install", install)):
            body = f"cat <<'end' >&2\n{said}\nend\nexit 100" if said else "exit 0"
            cases.append(f'if [[ " $* " == *" {command} "* ]]; then\n{body}\nfi')
        self.stub("apt-get", 'echo "apt-get $*"\n' + "\n".join(cases))

    def run_script(self, *groups, terminal=False):
        """Returns (exit status, what was said to standard error)."""
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        if terminal:
            main, side = pty.openpty()
            self.addCleanup(os.close, main)
            self.addCleanup(os.close, side)
            name = os.ttyname(side)
            if os.geteuid() == 0:
                os.chown(name, NOBODY, NOBODY)
            # The first terminal that the leader of a session opens is the terminal of that session.
            command = ["bash", "-c", f'exec 3<>"{name}"; script=$(cat); bash -c "$script" "$@"', "-",
                       "-", *groups]
        else:
            command = ["bash", "-s", "--", *groups]
        done = subprocess.run(
            command, input=SCRIPT.read_text(), capture_output=True, text=True, check=False,
            start_new_session=True, executable=self.folder / "bash", cwd=self.folder,
            env={"PATH": str(self.folder), "TMPDIR": str(self.folder)}, **options)
        self.said = done.stdout
        self.assertEqual(list(self.folder.glob("install_deps.*")), [], "a file is left")
        return done.returncode, done.stderr

    def assert_fails(self, result, *sentences):
        status, said = result
        self.assertEqual(status, 1, said)
        last = said.splitlines()[-1]
        for sentence in sentences:
            self.assertIn(sentence, last)

    def test_without_root_and_sudo(self):
        self.assert_fails(
            self.run_script("bench"),
            "install_deps: no root: packages are missing, and there is neither root nor sudo to "
            "install them. Please have these installed: isal python3")

    def test_without_a_terminal_for_sudo(self):
        self.stub("sudo", SUDO_WITH_PASSWORD)
        self.assert_fails(
            self.run_script("bench"),
            "install_deps: no terminal: sudo wants a password and has no terminal to ask on. Please "
            "run this in a terminal or as root, or have these installed: isal python3")

    def test_with_a_terminal_sudo_asks_there(self):
        self.stub("sudo", SUDO_WITH_PASSWORD)
        status, said = self.run_script("bench", terminal=True)
        self.assertEqual(status, 0, said)

    def test_sudo_that_refuses(self):
        self.stub("sudo", SUDO_THAT_REFUSES)
        self.assert_fails(
            self.run_script("bench", terminal=True),
            "install_deps: no root: sudo refused. Please have these installed: isal python3")

    def test_without_network_and_without_lists(self):
        self.stub("sudo", SUDO_WITHOUT_PASSWORD)
        self.apt_get(NO_NETWORK, NO_PACKAGE)
        self.assert_fails(
            self.run_script("bench"),
            "install_deps: no network: apt-get cannot reach the servers of its packages. Please "
            "connect this machine (or set http_proxy) and try again; wanted are: isal python3")

    def test_network_that_is_lost_while_packages_are_fetched(self):
        self.stub("sudo", SUDO_WITHOUT_PASSWORD)
        self.apt_get(install=NO_NETWORK_FOR_A_PACKAGE)
        self.assert_fails(self.run_script("bench"), "install_deps: no network:")

    def test_without_network_but_with_all_packages_at_hand(self):
        self.stub("sudo", SUDO_WITHOUT_PASSWORD)
        self.apt_get(update=NO_NETWORK)
        status, said = self.run_script("bench")
        self.assertEqual(status, 0, said)
        self.assertIn("apt-get update failed; trying with the lists at hand", said)

    def test_without_such_a_package(self):
        self.stub("sudo", SUDO_WITHOUT_PASSWORD)
        self.apt_get(install=NO_PACKAGE)
        self.assert_fails(
            self.run_script("build"),
            "install_deps: no package: this distribution has no libfmt-dev ninja-build. Debian 12 "
            "and Ubuntu 24.04 have all (on Ubuntu in the component 'universe'); elsewhere install "
            "by hand what they hold")

    def test_another_failure_is_none_of_these(self):
        self.stub("sudo", SUDO_WITHOUT_PASSWORD)
        self.apt_get(install=BROKEN)
        self.assert_fails(
            self.run_script("bench"),
            "install_deps: apt-get could not install: isal python3; what it said stands above")
        self.assertIn("dpkg was interrupted", self.said)

    def test_optional_packages_that_are_missing_fail_nothing(self):
        self.stub("sudo", SUDO_WITHOUT_PASSWORD)
        self.apt_get(install=NO_PACKAGE)
        status, said = self.run_script("device")
        self.assertEqual(status, 0, said)
        self.assertIn("install_deps: not to be had here: clang-22 lld-22; tests that need them are "
                      "skipped", said)

    def test_without_root_nobody_is_asked_for_optional_packages(self):
        self.stub("sudo", SUDO_WITH_PASSWORD)
        self.assertEqual(self.run_script("device", terminal=True), (0, ""))

    def test_nothing_is_done_where_all_is_there(self):
        self.stub("dpkg-query", "printf 'installed isal\\ninstalled python3\\n'")
        self.stub("apt-get", "echo apt-get was called >&2; exit 100")
        self.assertEqual(self.run_script("bench"), (0, ""))

    def test_another_distribution_is_told_the_list(self):
        (self.folder / "apt-get").unlink()
        status, said = self.run_script("bench")
        self.assertEqual(status, 0)
        self.assertIn("apt is not here. Please install what these Debian packages hold: isal "
                      "python3", said)


if __name__ == "__main__":
    SCRIPT = Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
