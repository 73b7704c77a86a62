# SPDX-License-Identifier: Apache-2.0
import pathlib

from spack.package import *


class Lisle(CMakePackage):
    """An MPI-5.0 library with the standard's binary interface, whose ranks are processes, threads or fibers."""

    homepage = "https://www.mpi-forum.org"
    # The repository that this recipe lies in.
    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("Apache-2.0")

    version("main", branch="main")

    variant("fortran", default=True, description="mpif.h and the modules mpi and mpi_f08")
    variant("libfabric", default=True, description="networks by libfabric, besides TCP")
    variant("ucx", default=False, description="networks by UCX, for jobs that name it")
    variant("pmix", default=True, description="start under launchers that speak PMIx")
    variant("tasks", default=True, description="the task machine and coupling")
    variant("tiles", default=True, description="the modelled tile processor")

    provides("mpi@:5.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("boost+context cxxstd=20 visibility=hidden", type=("build", "link"))
    depends_on("libfabric@1.14:", when="+libfabric")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("pmix@4:", when="+pmix")
    depends_on("fmt", type="build", when="+tiles")
    depends_on("cli11", type="build", when="+tiles")
    depends_on("cli11", type="build", when="+tasks")

    conflicts("%gcc@:11", msg="Lisle is C++20 with coroutines: GCC 12 or Clang 14")
    conflicts("platform=darwin", msg="Lisle runs on Linux")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("LISLE_TESTS", False),
            self.define("LISLE_EXAMPLES", False),
            self.define_from_variant("LISLE_TASKS", "tasks"),
            self.define_from_variant("LISLE_TILES", "tiles"),
        ]

    def setup_run_environment(self, env):
        env.set("MPICC", self.prefix.bin.mpicc)
        env.set("MPICXX", self.prefix.bin.mpicxx)
        env.set("MPIFC", self.prefix.bin.mpifort)

    def setup_dependent_build_environment(self, env, dependent_spec):
        self.setup_run_environment(env)
        # The wrappers call the compilers that Spack calls.
        env.set("LISLE_CC", spack_cc)
        env.set("LISLE_CXX", spack_cxx)
        env.set("LISLE_FC", spack_fc)

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = self.prefix.bin.mpicc
        self.spec.mpicxx = self.prefix.bin.mpicxx
        self.spec.mpifc = self.prefix.bin.mpifort
        self.spec.mpif77 = self.prefix.bin.mpif77
