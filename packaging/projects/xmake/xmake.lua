-- SPDX-License-Identifier: Apache-2.0
-- A project as users have them, for packages that were just installed (try_builders).
add_requires("pkgconfig::mpi-c", {alias = "chosen"})
add_requires("pkgconfig::lisle", {alias = "lisle"})
add_requires("pkgconfig::mpich", {alias = "mpich", optional = true})
add_requires("pkgconfig::ompi-c", {alias = "openmpi", optional = true})
for program, package in pairs({in_c = "chosen", by_lisle = "lisle", by_mpich = "mpich", by_openmpi = "openmpi"}) do
    target(program)
        set_kind("binary")
        set_default(package == "chosen" or package == "lisle")
        add_files("hello.c")
        add_packages(package)
end
