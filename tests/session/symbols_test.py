"""What liblockstep_session.so shows, needs and calls. It shows its C interface, needs what every C++ program has, and
calls nothing of the system that changes the process which loads it.

Usage: symbols_test.py LIBRARY HEADER
"""

import re
import shutil
import subprocess
import sys

# Of the process as a whole: its file modes, signals, locale, folder, environment, limits, and its end.
FORBIDDEN = {
    "umask",
    "signal", "sigaction", "sigset", "sigvec", "siginterrupt", "sigaltstack", "raise", "kill", "alarm", "setitimer",
    "setlocale", "uselocale", "_ZNSt6locale6globalERKS_",
    "exit", "_exit", "_Exit", "quick_exit", "abort", "__assert_fail", "atexit", "on_exit",
    "chdir", "fchdir", "setenv", "putenv", "unsetenv", "clearenv", "setrlimit", "fork", "vfork", "system", "popen",
    "execve", "dup2", "freopen", "srand", "prctl",
}

# The loader, and what older versions of glibc have beside libc.
NEEDED = re.compile(r"(libc|libm|libdl|libpthread|libstdc\+\+|libgcc_s|ld-linux[a-z0-9_-]*)\.so\.\d+")


def wrong_needs(library):
    """The shared libraries that it must not need."""
    listed = subprocess.run(["readelf", "--dynamic", "--wide", library], capture_output=True, text=True, check=True,
                            env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"}).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", listed)
    assert "libc.so.6" in needed, "the list is not what it should be"
    return [name for name in needed if not NEEDED.fullmatch(name)]


def difference_from_header(nm, library, header):
    """Names that are shown but not declared, or declared but not shown."""
    listed = subprocess.run([nm, "--dynamic", "--defined-only", library], capture_output=True, text=True,
                            check=True).stdout
    shown = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    with open(header, encoding="utf-8") as file:
        declared = set(re.findall(r"^[a-z][a-z0-9_* ]*?\b(lockstep_\w+)\(", file.read(), re.MULTILINE))
    assert "lockstep_version" in declared, "the header is not what it should be"
    return sorted(shown ^ declared)


def main():
    library, header = sys.argv[1:]
    nm = shutil.which("nm")
    if nm is None or shutil.which("readelf") is None:
        print("skipped: there is no nm or readelf here")
        return 77
    wrong = wrong_needs(library)
    if wrong:
        print("the library needs", ", ".join(wrong))
        return 1
    different = difference_from_header(nm, library, header)
    if different:
        print("either shown or declared, but not both:", ", ".join(different))
        return 1
    # With those of static libraries inside it: whatever is in the file and wants a symbol is listed.
    listed = subprocess.run([nm, "--dynamic", "--undefined-only", library], capture_output=True, text=True,
                            check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    assert "malloc" in names or "_Znwm" in names, "the list is not what it should be"
    called = sorted(names & FORBIDDEN)
    if called:
        print("the library calls", ", ".join(called))
        return 1
    print(len(names), "symbols, none of them changes the process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
