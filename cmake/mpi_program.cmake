# SPDX-License-Identifier: Apache-2.0
# What Lisle's compiler wrappers pass, for programs of this tree: position-independent code throughout
# (-fPIC, not -fPIE), so that a program can be loaded once for each rank.

find_package(Threads REQUIRED)

# lisle_mpi_program(target): links an executable of this tree as mpicc or mpicxx would.
function(lisle_mpi_program target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_link_options(${target} PRIVATE -pie)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/mpi/tests/mpi)
  target_link_libraries(${target} PRIVATE mpi_abi lisle_flags Threads::Threads)
  add_dependencies(${target} lisle_mpi_h)
endfunction()
