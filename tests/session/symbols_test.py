"""What liblockstep_session.so calls of the system: nothing that changes the process which loads it.

Usage: symbols_test.py LIBRARY
"""

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


def main():
    nm = shutil.which("nm")
    if nm is None:
        print("skipped: there is no nm here")
        return 77
    # With those of static libraries inside it: whatever is in the file and wants a symbol is listed.
    listed = subprocess.run([nm, "--dynamic", "--undefined-only", sys.argv[1]], capture_output=True, text=True,
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
