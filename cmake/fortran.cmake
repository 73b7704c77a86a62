# SPDX-License-Identifier: Apache-2.0
# LISLE_FORTRAN: whether there is a Fortran compiler, for which the Fortran interfaces are built. None is needed otherwise.
include(CheckLanguage)
if(NOT DEFINED CMAKE_Fortran_COMPILER AND NOT DEFINED ENV{FC} AND NOT CMAKE_CROSSCOMPILING)
  find_program(LISLE_GFORTRAN gfortran) # rather than f95, by which CMake may find it: mpifort has the name
  if(LISLE_GFORTRAN)
    set(CMAKE_Fortran_COMPILER ${LISLE_GFORTRAN})
  endif()
endif()
# For another machine only a compiler that was asked for will do: any that is found compiles for this one.
if(CMAKE_Fortran_COMPILER OR DEFINED ENV{FC} OR NOT CMAKE_CROSSCOMPILING)
  check_language(Fortran)
endif()
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
  set(LISLE_FORTRAN ON)
else()
  message(STATUS "No Fortran compiler: mpif.h, the modules mpi and mpi_f08 and mpifort are left out (apt install gfortran)")
  set(LISLE_FORTRAN OFF)
endif()

# lisle_link_fortran(target): a Fortran program with what mpifort passes to the compiler.
function(lisle_link_fortran target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF
    Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules)
  target_compile_options(${target} PRIVATE -fPIC -fallow-argument-mismatch -fallow-invalid-boz)
  target_link_options(${target} PRIVATE -pie)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/include)
  target_link_libraries(${target} PRIVATE mpi_fortran mpi_abi)
  if(LISLE_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${LISLE_SANITIZE})
  endif()
endfunction()
