# SPDX-License-Identifier: Apache-2.0
"""Installs into a prefix, moves it, and builds and runs a program by each of the documented ways.

Usage: check_install.py CMAKE BUILD_DIR WORK_DIR LIB_DIR
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import empty_directory, expect, run

PROGRAM = pathlib.Path(__file__).parent.parent / "abi" / "program.c"

CPP_PROGRAM = """#include <lisle/lisle.hpp>
#include <iostream>
int main() {
    const lisle::environment mpi;
    const int rank = lisle::world().rank();
    std::cout << "received " << lisle::world().sendrecv(42, {.dest = rank, .source = rank}) << std::endl;
}
"""

# Tasks and coupled models; every rank evaluates a program of its own.
TASKS_PROGRAM = """#include <lisle/couple/job.hpp>
#include <lisle/task.hpp>
#include <lisle/task/mpi_transport.hpp>
#include <iostream>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    lisle::couple::job{MPI_COMM_WORLD, {"model" + std::to_string(rank)}}.begin();
    lisle::tasks::registry kernels;
    const auto between = lisle::tasks::make_mpi_transport();
    lisle::tasks::machine machine{kernels, *between};
    const auto program = lisle::tasks::read("(fold + (map (lambda (i) (* 2 i)) (range 7)))");
    std::cout << "received " + std::to_string(machine.evaluate(program).as<long>()) + "\\n" << std::flush;
    machine.finish();
    MPI_Finalize();
}
"""

# A model that gives itself what it receives, in C and in Fortran.
COUPLED_C = """#include <lisle/couple.h>
#include <stdio.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, received = 0, sent = 42;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char name[16];
    snprintf(name, sizeof name, "model %d", rank);
    const char *own[] = {name};
    lisle_couple_job *job;
    lisle_couple_component *self;
    lisle_couple_points *one;
    int wrong = lisle_couple_job_make(MPI_COMM_WORLD, 1, own, &job) || lisle_couple_job_component(job, name, &self) ||
                lisle_couple_points_list(1, 1, (const int64_t[]){0}, &one) || lisle_couple_runs(self, 1, 0, 1) ||
                lisle_couple_offers(self, "x", one, &sent, MPI_INT, NULL) ||
                lisle_couple_wants(self, "x", one, &received, MPI_INT, name, NULL) || lisle_couple_job_begin(job) ||
                lisle_couple_put(self, NULL) || lisle_couple_get(self, NULL) || lisle_couple_advance(self) ||
                lisle_couple_points_free(&one) || lisle_couple_job_end(&job);
    if (wrong)
        puts(lisle_couple_message());
    printf("received %d\\n", received);
    MPI_Finalize();
    return wrong;
}
"""
COUPLED_FORTRAN = """program coupled
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use lisle_couple
  implicit none
  type(couple_job) :: job
  type(couple_component) :: self
  real(real64), target :: sent(1) = 42, received(1)
  character(16) :: name
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  write (name, "(a, i0)") "model ", rank
  call job%make(MPI_COMM_WORLD, [name])
  self = job%component(name)
  call self%runs(period=1_int64, end=1_int64)
  call self%offers("x", sent, couple_list(1, [1]))
  call self%wants("x", received, couple_list(1, [1]), from=name)
  call job%begin()
  call self%put()
  call self%get()
  call self%advance()
  call job%end()
  print "(a, i0)", "received ", nint(received(1))
  call MPI_Finalize()
end program
"""

FORTRAN_PROGRAM = """program message
  use mpi_f08
  implicit none
  integer :: received = 0
  call MPI_Init()
  call MPI_Sendrecv(42, 1, MPI_INTEGER, 0, 1, received, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  print '(a, i0)', 'received ', received
  call MPI_Finalize()
end program
"""

# find_package(Lisle): the package's own target. find_package(MPI): CMake's module, which asks the wrappers.
PROJECT = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES {languages})
find_package({package} REQUIRED {components})
set(CMAKE_CXX_EXTENSIONS OFF)
{programs}
file(WRITE ${{CMAKE_BINARY_DIR}}/launcher "${{{launcher}}}")
"""


# As Open MPI's header has it: a communicator is the address of an object.
# Programs that know no more of another MPI than these names, and stand-ins of its library to link them with.
BUILT_FOR_OTHERS = {
    "libmpi.so.40": ("""
#include <stdio.h>
extern struct communicator { char bytes[512]; } ompi_mpi_comm_world;
int MPI_Init(int *, char ***), MPI_Finalize(void);
int MPI_Comm_rank(struct communicator *, int *), MPI_Comm_size(struct communicator *, int *);
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(&ompi_mpi_comm_world, &rank);
    MPI_Comm_size(&ompi_mpi_comm_world, &size);
    printf("%d of %d\\n", rank, size);
    return MPI_Finalize();
}
""", "char ompi_mpi_comm_world[512];"),
    "libmpich.so.12": ("""
#include <stdio.h>
int MPI_Init(int *, char ***), MPI_Finalize(void);
int MPI_Comm_rank(int, int *), MPI_Comm_size(int, int *);
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(0x44000000, &rank);
    MPI_Comm_size(0x44000000, &size);
    printf("%d of %d\\n", rank, size);
    return MPI_Finalize();
}
""", ""),
}  # fmt: skip
NAMES_OF_OTHERS = """
int MPI_Init(void) { return 1; }
int MPI_Finalize(void) { return 1; }
int MPI_Comm_rank(void) { return 1; }
int MPI_Comm_size(void) { return 1; }
"""


def with_sanitizer():
    """The environment in which a plain program can load a sanitized library: its runtime must come first."""
    if "address" not in os.environ.get("SANITIZED", ""):
        return os.environ
    return {**os.environ, "LD_PRELOAD": run("cc", "-print-file-name=libasan.so").stdout.strip()}


def check_program(prefix, program):
    """The program runs alone and under the launcher, and is of the sort that can be a thread."""
    expect("received 42" in run(program, env=with_sanitizer()).stdout, f"{program} alone")
    for kind in ("process", "thread"):
        out = run(prefix / "bin/mpirun", "-n", "2", "--ranks", kind, program, env=with_sanitizer()).stdout
        expect(out.count("received 42") == 2, f"{program} with ranks as {kind} printed: {out}")
    header = run("readelf", "-h", program).stdout
    expect("DYN" in header, f"{program} is not position-independent")


def check_wrappers(prefix, work):
    run(prefix / "bin/mpicc", PROGRAM, "-o", work / "by_mpicc")
    check_program(prefix, work / "by_mpicc")
    shutil.copy(PROGRAM, work / "program.cpp")
    run(prefix / "bin/mpicxx", work / "program.cpp", "-o", work / "by_mpicxx")
    check_program(prefix, work / "by_mpicxx")


def check_tasks(prefix, work, libdir):
    if os.environ.get("SANITIZED") or os.environ.get("TASKS") != "ON":
        return  # the static libraries want the sanitizer's flags, or are not built
    (work / "tasks.cpp").write_text(TASKS_PROGRAM, encoding="utf-8")
    run(prefix / "bin/mpicxx", "-std=c++20", work / "tasks.cpp", "-llisle_couple", "-llisle_task", "-llisle_task_core",
        "-o", work / "tasks")  # fmt: skip
    check_program(prefix, work / "tasks")
    (work / "coupled.c").write_text(COUPLED_C, encoding="utf-8")
    run(prefix / "bin/mpicc", work / "coupled.c", "-llisle_couple", "-lstdc++", "-lm", "-o", work / "coupled")
    check_program(prefix, work / "coupled")
    if list(prefix.rglob("mpi_f08.mod")):
        (work / "coupled.f90").write_text(COUPLED_FORTRAN, encoding="utf-8")
        run(prefix / "bin/mpifort", prefix / "include/lisle/couple.f90", work / "coupled.f90", "-llisle_couple", "-lstdc++",
            "-o", work / "coupled_fortran", cwd=work)  # fmt: skip
        check_program(prefix, work / "coupled_fortran")
    python = prefix / libdir / "lisle/python"  # the module and its library, which finds MPI's by itself
    expect((python / "lisle_couple.py").exists(), f"{python} has no module")
    run(sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(python / 'liblisle_couple.so')!r}).lisle_couple_message")


def has_fortran(prefix):
    """Not if built without a Fortran compiler; or its static library wants the sanitizer's flags."""
    return bool(list(prefix.rglob("mpi_f08.mod"))) and not os.environ.get("SANITIZED")


def check_fortran(prefix, work):
    if has_fortran(prefix):
        (work / "message.f90").write_text(FORTRAN_PROGRAM, encoding="utf-8")
        run(prefix / "bin/mpifort", work / "message.f90", "-o", work / "by_mpifort", cwd=work)
        check_program(prefix, work / "by_mpifort")


def check_module(cmake, prefix, work):
    """CMake's module, which compiles with mpi.h and, where there is Fortran, with mpif.h and both modules."""
    languages, programs = "C CXX", {"program": (PROGRAM, "MPI::MPI_C")}
    if has_fortran(prefix):
        languages += " Fortran"
        programs["in_fortran"] = (work / "message.f90", "MPI::MPI_Fortran")
    check_cmake(cmake, prefix, work, "module", programs, package="MPI", components=f"COMPONENTS {languages}",
                launcher="MPIEXEC_EXECUTABLE", languages=languages)  # fmt: skip


def check_package(cmake, prefix, work):
    """Lisle's own package, under both spellings of its name."""
    check_cmake(cmake, prefix, work, "package", {"program": (PROGRAM, "Lisle::mpi")}, package="Lisle",
                launcher="Lisle_MPIEXEC", languages="C")  # fmt: skip
    (work / "message.cpp").write_text(CPP_PROGRAM, encoding="utf-8")
    # The precompiled header is there, or the program would not compile.
    (work / "bare.cpp").write_text(CPP_PROGRAM.replace("#include <lisle/lisle.hpp>\n", ""), encoding="utf-8")
    check_cmake(cmake, prefix, work, "cpp", {"program": (work / "message.cpp", "Lisle::cpp"),
                                             "precompiled": (work / "bare.cpp", "Lisle::cpp_precompiled")},
                package="lisle", launcher="Lisle_MPIEXEC", languages="CXX")  # fmt: skip


def check_tiles(prefix, work, libdir):
    """The module of the tiles is found where it was moved to; without it, a sentence says what to install."""
    command = [prefix / "bin/lislerun", "--fabric", "tile:2x1", work / "by_mpicc"]
    module = prefix / libdir / "lisle/liblisle_tiles.so"
    if module.exists():
        done = run(*command, env=with_sanitizer())
        expect(done.stdout.count("received 42") == 2 and "2 x 1 tiles" in done.stderr, f"{done.stdout}{done.stderr}")
        module.unlink()
    missing = run(*command, status=None, env=with_sanitizer())
    expect(missing.returncode != 0 and "needs Lisle's tiles" in missing.stderr, missing.stderr)


def check_names_of_other_mpis(prefix, work):
    """-lmpi and -lmpich mean Lisle's library; what is linked with another MPI's gets the face of it, or is refused."""
    for name in ("mpi", "mpich"):
        program = work / f"by_{name}"
        run(prefix / "bin/mpicc", PROGRAM, f"-l{name}", "-o", program)
        expect(f"[lib{name}." not in run("readelf", "-d", program).stdout, f"-l{name} is another MPI's library")
        check_program(prefix, program)
    other = empty_directory(work / "other")
    (other / "none.c").write_text("int none;\n", encoding="utf-8")
    (other / "main.c").write_text("extern int none;\nint main(void) { return none; }\n", encoding="utf-8")
    for soname in ("libmpi.so.99", "libmpicxx.so.99"):
        run("cc", "-shared", "-fPIC", other / "none.c", f"-Wl,-soname,{soname}", "-o", other / soname)
        run("cc", other / "main.c", other / soname, f"-Wl,-rpath,{other}", "-o", other / "program")
        for kind in ("process", "thread"):
            done = subprocess.run([prefix / "bin/mpirun", "-n", "2", "--ranks", kind, other / "program"],
                                  capture_output=True, text=True, check=False)
            expect(done.returncode != 0 and done.stderr.count("\n") == 1 and
                   f"is linked with {soname}, the library of another MPI" in done.stderr,
                   f"a program with {soname} as {kind}: {done.stderr}")  # fmt: skip
    if os.environ.get("SANITIZED"):  # a program that is not has nowhere to load the sanitizer first
        return
    for soname, (source, names) in BUILT_FOR_OTHERS.items():
        check_face(prefix, other, soname, source, names)
    run("cc", other / "main.c", other / "none.c", "-Wl,--no-as-needed", *((other / "hidden" / name) for name in BUILT_FOR_OTHERS),
        "-o", other / "of_two")  # fmt: skip
    done = run(prefix / "bin/mpirun", "-n", "2", other / "of_two", status=None)
    expect(done.returncode == 126 and "the libraries of two MPIs" in done.stderr, f"a program of two MPIs: {done.stderr}")


def check_face(prefix, work, soname, source, names):
    """A program that knows of another MPI's library no more than its name and a few symbols runs; --abi standard refuses it."""
    program = work / f"built_for_{soname}"
    program.with_suffix(".c").write_text(source, encoding="utf-8")
    (work / "hidden").mkdir(exist_ok=True)
    library = work / "hidden" / soname
    (work / "names.c").write_text(NAMES_OF_OTHERS + names, encoding="utf-8")
    run("cc", "-shared", "-fPIC", work / "names.c", f"-Wl,-soname,{soname}", "-o", library)
    run("cc", program.with_suffix(".c"), library, "-o", program)
    for kind in ("process", "thread", "fiber"):
        said = run(prefix / "bin/mpirun", "-n", "3", "--ranks", kind, program).stdout
        expect(sorted(said.split("\n")[:3]) == ["0 of 3", "1 of 3", "2 of 3"], f"a face of {soname} as {kind}: {said}")
    refused = run(prefix / "bin/mpirun", "-n", "2", "--abi", "standard", program, status=None)
    expect(refused.returncode == 126 and "--abi standard excludes" in refused.stderr, refused.stderr)
    checked = run(prefix / "bin/lislerun", "--abi-check", program).stdout
    expect(f"  {soname} is {prefix}" in checked and "not there" not in checked, f"--abi-check {program}: {checked}")
    checked = run(prefix / "bin/lislerun", "--abi", "standard", "--abi-check", program, status=None)
    wanted = (f"not there: {soname}", f"starts nothing: {soname} is")  # the latter where that MPI is installed, too
    expect(checked.returncode == 1 and any(each in checked.stdout for each in wanted), f"--abi standard --abi-check: {checked.stdout}")
    # Behind a shell, too, which names no MPI.
    said = run(prefix / "bin/mpirun", "-n", "2", "sh", "-c", program).stdout
    expect(sorted(said.split("\n")[:2]) == ["0 of 2", "1 of 2"], f"a face of {soname} behind a shell: {said}")


def check_pkg_config(prefix, work, libdir):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / libdir / "pkgconfig")}
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "lisle", env=environment).stdout)
    run("cc", PROGRAM, "-o", work / "by_pkg_config", *flags)
    check_program(prefix, work / "by_pkg_config")


def check_documents(prefix):
    """The index of the documents leads to documents, and every page of it to others that there are."""
    documents = prefix / "share/doc/lisle"
    link = re.compile(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)")
    pages = [documents / "docs/README.md", *documents.glob("*/docs/*.md")]
    expect(len(pages) > 15, f"there are few documents: {pages}")
    for page in pages:
        for target in link.findall(page.read_text(encoding="utf-8")):
            # What only those need who change Lisle is not installed.
            if "://" not in target and "bench/" not in target and "tests/" not in target:
                expect((page.parent / target).exists(), f"{page} leads to {target}, which is not there")


def check_old_language(prefix, work):
    """A compiler that is not told to use C++20 says so, and nothing else."""
    done = subprocess.run([prefix / "bin/mpicxx", "-std=c++17", "-c", work / "message.cpp", "-o", work / "none.o"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    expect(done.returncode != 0 and "need C++20: compile with -std=c++20" in done.stderr and done.stderr.count("\n") < 16,
           f"an old language: {done.stderr}")  # fmt: skip


def check_warnings(prefix, work):
    """A program's warnings are about the program, also if its names are those of the headers' parameters."""
    names = "data", "value", "count", "size", "rank", "buffer", "type", "request", "status", "tag"
    globals_ = "".join(f"int {name} = 1;\n" for name in names)
    (work / "strict.cpp").write_text(globals_ + CPP_PROGRAM.replace("int rank", "int mine").replace("= rank", "= mine"),
                                     encoding="utf-8")  # fmt: skip
    run(prefix / "bin/mpicxx", "-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Wold-style-cast", "-Wconversion",
        "-Wsign-conversion", "-Werror", "-fsyntax-only", work / "strict.cpp")  # fmt: skip


def check_cmake(cmake, prefix, work, name, programs, components="", **project):
    """@param programs by name: their source and the target that they link with"""
    source = empty_directory(work / name)
    added = "".join(f'add_executable({program} "{file}")\ntarget_link_libraries({program} PRIVATE {target})\n'
                    for program, (file, target) in programs.items())  # fmt: skip
    text = PROJECT.format(programs=added, components=components, **project)
    (source / "CMakeLists.txt").write_text(text, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{prefix}/bin{os.pathsep}{os.environ['PATH']}", "CMAKE_PREFIX_PATH": str(prefix)}
    run(cmake, "-S", source, "-B", source / "build", env=environment)
    run(cmake, "--build", source / "build", env=environment)
    for program in programs:
        check_program(prefix, source / "build" / program)
    launcher = (source / "build/launcher").read_text(encoding="utf-8")
    expect(pathlib.Path(launcher).resolve().is_relative_to(prefix), f"{name} found the launcher {launcher}")


def main():
    cmake, build, libdir = sys.argv[1], sys.argv[2], sys.argv[4]
    work = empty_directory(sys.argv[3]).resolve()
    run(cmake, "--install", build, "--prefix", work / "first")
    prefix = work / "moved here"
    (work / "first").rename(prefix)
    for file in prefix.rglob("*"):
        if file.is_file() and file.suffix in (".pc", ".cmake"):
            expect(str(work) not in file.read_text(encoding="utf-8"), f"{file} names its prefix")
    check_wrappers(prefix, work)
    check_documents(prefix)
    check_tasks(prefix, work, libdir)
    check_tiles(prefix, work, libdir)
    check_names_of_other_mpis(prefix, work)
    check_fortran(prefix, work)
    if shutil.which("pkg-config"):
        check_pkg_config(prefix, work, libdir)
    check_package(cmake, prefix, work)
    check_old_language(prefix, work)
    check_warnings(prefix, work)
    check_module(cmake, prefix, work)


if __name__ == "__main__":
    main()
