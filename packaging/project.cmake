# SPDX-License-Identifier: Apache-2.0
# A project as users have them, for packages that were just installed (check_deb).
cmake_minimum_required(VERSION 3.25)
project(hello LANGUAGES C CXX Fortran)
find_package(MPI REQUIRED COMPONENTS C CXX Fortran)
find_package(Lisle REQUIRED)
add_executable(by_mpi hello.c)
target_link_libraries(by_mpi PRIVATE MPI::MPI_C)
add_executable(by_lisle hello.c)
target_link_libraries(by_lisle PRIVATE Lisle::mpi)
add_executable(in_fortran hello.f90)
target_link_libraries(in_fortran PRIVATE MPI::MPI_Fortran)
