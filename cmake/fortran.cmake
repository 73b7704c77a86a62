# SPDX-License-Identifier: Apache-2.0
# LISLE_FORTRAN: whether there is a Fortran compiler, for which the Fortran interfaces are built. None is needed otherwise.
include(CheckLanguage)
if(NOT DEFINED CMAKE_Fortran_COMPILER AND NOT DEFINED ENV{FC})
  find_program(LISLE_GFORTRAN gfortran) # rather than f95, by which CMake may find it: mpifort has the name
  if(LISLE_GFORTRAN)
    set(CMAKE_Fortran_COMPILER ${LISLE_GFORTRAN})
  endif()
endif()
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
  set(LISLE_FORTRAN ON)
else()
  message(STATUS "No Fortran compiler: mpif.h, the modules mpi and mpi_f08 and mpifort are left out (apt install gfortran)")
  set(LISLE_FORTRAN OFF)
endif()
