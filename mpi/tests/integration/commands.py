# SPDX-License-Identifier: Apache-2.0
"""Running commands in the integration tests, with words about what went wrong."""
import os
import pathlib
import shutil
import subprocess
import sys

# Seconds that a command may take. The presets with a sanitizer, which makes everything slower, ask for patience.
LIMIT = 100 * int(os.environ.get("LISLE_TEST_PATIENCE", "1"))


def fail(reason):
    sys.exit(f"FAILED: {reason}")


def run(*command, status=0, **options):
    """Runs a command that must end with this exit status (None: any); returns its output and errors."""
    words = [str(c) for c in command]
    done = subprocess.run(words, text=True, capture_output=True, timeout=LIMIT, check=False, **options)
    if status is not None and done.returncode != status:
        fail(f"{' '.join(words)}\nended with {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def preloading(library):
    """The environment of programs that load this library first, also where AddressSanitizer wants to be that."""
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return {**os.environ, "LD_PRELOAD": library, "ASAN_OPTIONS": sanitizer}


def expect(condition, reason):
    if not condition:
        fail(reason)


def empty_directory(path):
    path = pathlib.Path(path)
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path
