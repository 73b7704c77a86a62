# SPDX-License-Identifier: Apache-2.0
"""mpi.h and mpix.h compile in every dialect that programs use, with all warnings, and each of them alone. All PMPI
names that they declare exist.

Usage: check_header.py BIN_DIR WORK_DIR
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import empty_directory, run

SOURCE = """#include <mpi.h>
#include <mpi.h>
#if !defined(MPI_THREAD_MULTIPLE) || !defined(MPI_ANY_TAG) || !defined(MPI_ERR_RANK) || !defined(MPI_INT)
#error "a constant is no macro"
#endif
int probe(void);
MPI_Fint there(MPI_Comm comm);
MPI_Comm back(MPI_Fint comm);
MPI_Fint there(MPI_Comm comm) { return MPI_Comm_c2f(comm) + MPI_Type_c2f(MPI_INT) * MPI_Op_c2f(MPI_SUM); }
MPI_Comm back(MPI_Fint comm) { return MPI_Comm_f2c(comm); }
int probe(void) { return MPI_Comm_size(MPI_COMM_WORLD, (int *)0) + (MPI_STATUS_IGNORE == 0) + sizeof(MPI_Status); }
"""
EXTENSION = """#include <mpix.h>
#include <mpix.h>
int agree(MPI_Comm comm);
int agree(MPI_Comm comm) { int flag = 0; return MPIX_Comm_agree(comm, &flag); }
"""


# Uses of removed names, each with its substitute. One that a program defines as a macro is its own.
REMOVED = {
    "MPI_Aint at; int r = MPI_Address(&r, &at);": "MPI_Get_address",
    "int r = MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);": "MPI_Comm_set_errhandler",
    "MPI_Datatype r = MPI_UB;": "MPI_Type_create_resized",
    "int r = MPI_COMBINER_STRUCT_INTEGER;": "MPI_COMBINER_STRUCT",
    "MPI_Handler_function *r = 0;": "MPI_Comm_errhandler_function",
}


def check_removed(bindir, work):
    for number, (statement, substitute) in enumerate(REMOVED.items()):
        source = work / f"removed_{number}.c"
        source.write_text(f"#include <mpi.h>\nvoid use(void);\nvoid use(void) {{ {statement} (void)r; }}\n", encoding="utf-8")
        refused = subprocess.run([f"{bindir}/mpicc", "-c", source.name], cwd=work, capture_output=True, text=True, check=False)
        if refused.returncode == 0 or f"use {substitute}" not in refused.stderr:
            sys.exit(f"{statement}: the compiler does not say \"use {substitute}\":\n{refused.stderr}")
    (work / "kept.c").write_text("#include <mpi.h>\nvoid use(void);\n"
                                 "void use(void) { MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }\n", encoding="utf-8")
    run(f"{bindir}/mpicc", "-DMPI_Errhandler_set=MPI_Comm_set_errhandler", "-Werror", "-c", "kept.c", cwd=work)


def check_profiling_names(bindir, work):
    """What the headers declare under PMPI exists."""
    (work / "all.c").write_text("#include <mpi.h>\n", encoding="utf-8")
    declared = set(re.findall(r"\bPMPIX?_\w+(?=\s*\()", run(f"{bindir}/mpicc", "-E", "all.c", cwd=work).stdout))
    library = pathlib.Path(bindir).parent / "lib" / "libmpi_abi.so"
    exported = {line.split()[-1].partition("@")[0] for line in run("nm", "-D", "--defined-only", library).stdout.splitlines()}
    if len(declared) < 600 or declared - exported:
        sys.exit(f"of {len(declared)} declared PMPI names the library has no {sorted(declared - exported)}")


def main():
    bindir, work = sys.argv[1], empty_directory(sys.argv[2])
    for language in ("c", "cpp"):
        (work / f"probe.{language}").write_text(SOURCE, encoding="utf-8")
        (work / f"extension.{language}").write_text(EXTENSION, encoding="utf-8")
    warnings = ["-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-Wno-sign-compare"]
    for dialect in ("gnu89", "c89", "c99", "c11", "c17"):
        run(f"{bindir}/mpicc", f"-std={dialect}", *warnings, "-c", "probe.c", "extension.c", cwd=work)
    check_removed(bindir, work)
    check_profiling_names(bindir, work)
    for dialect in ("c++11", "c++17", "c++20"):
        run(f"{bindir}/mpicxx", f"-std={dialect}", *warnings, "-c", "probe.cpp", "extension.cpp", cwd=work)


if __name__ == "__main__":
    main()
