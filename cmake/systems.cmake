# SPDX-License-Identifier: Apache-2.0
# Says in one sentence for which systems the sources are not made (docs/machines.md), before any of them is compiled.
include(CheckSymbolExists)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "Lisle is for Linux, this is ${CMAKE_SYSTEM_NAME}")
endif()
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8 OR NOT CMAKE_CXX_BYTE_ORDER STREQUAL "LITTLE_ENDIAN")
  message(FATAL_ERROR "Lisle is for processors of 64 bits with the least significant byte first; ${CMAKE_CXX_COMPILER} \
compiles for ${CMAKE_SYSTEM_PROCESSOR} with pointers of ${CMAKE_SIZEOF_VOID_P} bytes, ${CMAKE_CXX_BYTE_ORDER}")
endif()
check_symbol_exists(__GLIBC__ features.h LISLE_HAS_GLIBC)
if(NOT LISLE_HAS_GLIBC)
  message(FATAL_ERROR "Lisle needs the GNU C library, which ${CMAKE_C_COMPILER} does not use. On a system with musl (Alpine), \
run it in a container of a system with glibc (mpi/docs/containers.md)")
endif()

# RISC-V has no instructions for atomic bytes, and GCC before 14 calls a library for them.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <atomic>\nstd::atomic<char> byte; int main() { return byte.exchange(1); }"
  LISLE_HAS_ATOMIC_BYTES)
if(NOT LISLE_HAS_ATOMIC_BYTES)
  link_libraries(atomic)
endif()
