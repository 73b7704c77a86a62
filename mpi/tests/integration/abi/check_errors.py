# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments end the program with a sentence that names the line, or return the standard's error class, whose
text then has the same sentence and line.

Usage: check_errors.py BIN_DIR WORK_DIR
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import empty_directory, expect, run

# What goes wrong, the class in mpi.h, the sentence of a fatal error.
CASES = [
    ("rank", 6, "MPI_Send: rank 7 is outside MPI_COMM_WORLD, which has 1 rank"),
    ("count", 2, "MPI_Send: count is -3; it must not be negative"),
    ("tag", 4, "MPI_Send: tag is -9; tags are 0 to 2147483647"),
    ("type", 3, "MPI_Send: datatype is MPI_DATATYPE_NULL"),
    ("comm", 5, "MPI_Send: comm is MPI_COMM_NULL"),
    ("buffer", 1, "MPI_Send: buf is a null pointer although there are 1 elements"),
    ("pointer", 13, "MPI_Comm_rank: rank is a null pointer"),
    ("root", 8, "MPI_Bcast: root rank 5 is outside MPI_COMM_WORLD, which has 1 rank"),
    ("uncommitted", 3, "MPI_Send: datatype is a datatype that was not committed: call MPI_Type_commit first"),
    ("join", 13, "MPI_Comm_join: fd -1 is no stream socket"),
    ("stale", 5, "is not a valid communicator"),
]


def main():
    bindir, work, here = sys.argv[1], empty_directory(sys.argv[2]), pathlib.Path(__file__).parent
    # The errors are made on purpose; newer compilers see some of them.
    run(f"{bindir}/mpicc", here / "errors.c", "-g", "-w", "-o", "errors", cwd=work)
    for case, error_class, sentence in CASES:
        sanitized = case == "stale" and "sanitize" in run(f"{bindir}/mpicc", "-show").stdout
        if sanitized:
            continue  # a freed object is looked at on purpose
        done = run("./errors", case, "return", cwd=work)
        expect(f"class {error_class}: " in done.stdout and sentence.split(": ", 1)[-1] in done.stdout, f"{case} gave {done.stdout}")
        expect(re.search(r" \(at (errors\.c:\d+|errors\+0x[0-9a-f]+)\)", done.stdout), f"{case} has no place: {done.stdout}")
        for handler in [], ["abort"]:
            done = run("./errors", case, *handler, cwd=work, status=None)
            expect(done.returncode != 0 and "class" not in done.stdout, f"{case} did not end the program")
            expect(sentence in done.stderr, f"{case} said {done.stderr}")
            expect(re.search(r", at (errors\.c:\d+|errors\+0x[0-9a-f]+)\)", done.stderr), f"{case} has no place: {done.stderr}")
    for kind in ("process", "thread", "fiber"):
        for handler, name in ([], "MPI_ERRORS_ARE_FATAL"), (["abort"], "MPI_ERRORS_ABORT"):
            done = run(f"{bindir}/lislerun", "-n", "1", "--ranks", kind, "./errors", "rank", *handler, cwd=work, status=None)
            expect(f"rank 0 was ended by {name} with error code 6" in done.stderr and "called" not in done.stderr,
                   f"{kind}: {done.stderr}")
    done = run("./errors", "early", cwd=work, status=None)
    expect(done.returncode != 0 and "MPI_Send: called before MPI_Init" in done.stderr, f"early: {done.stderr}")


if __name__ == "__main__":
    main()
