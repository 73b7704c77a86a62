// SPDX-License-Identifier: Apache-2.0
// The one place that knows which MPI the headers are compiled against. Everything in cxx/include/lisle/ uses
// the functions of MPI-5.0; where Lisle's extension calls (mpix.h) do a thing better they are used. Without
// them, or with LISLE_STANDARD_ONLY defined, the headers do what the standard alone can do. With MPI 3.1, or
// with LISLE_MPI_3_ONLY defined, mpi3.hpp makes what is newer of what is there.
#pragma once

// A compiler goes on after #error with thousands of lines, but stops at a file that does not exist.
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "the headers lisle/*.hpp need C++20: compile with -std=c++20, or link the CMake target Lisle::cpp"
#include <lisle/nothing after the error above>
#endif

#include <mpi.h>

#include "lisle/detail/version.hpp"

#if !defined(MPI_VERSION) || MPI_VERSION < 3 || (MPI_VERSION == 3 && MPI_SUBVERSION < 1)
#error "the headers lisle/*.hpp need MPI 3.1 or newer: compile with Lisle's mpicxx, or another that has it"
#include <lisle/nothing after the error above>
#endif

#if MPI_VERSION < 4 || defined(LISLE_MPI_3_ONLY)
#define LISLE_USE_MPI_3 1
#else
#define LISLE_USE_MPI_3 0
#endif

#if defined(LISLE_EXTENSIONS) && !defined(LISLE_STANDARD_ONLY) && !LISLE_USE_MPI_3
#define LISLE_USE_EXTENSIONS 1
#else
#define LISLE_USE_EXTENSIONS 0
#endif

/// Without exceptions (-fno-exceptions) an error goes to the attempt() around it, or ends the program.
#if defined(__cpp_exceptions)
#define LISLE_USE_EXCEPTIONS 1
#else
#define LISLE_USE_EXCEPTIONS 0
#endif

/// How much collectives check: 0 nothing, 1 what one rank can see (the default), 2 also that all ranks of
/// the communicator have called the same collective with the same root and element type.
#ifndef LISLE_CHECKS
#define LISLE_CHECKS 1
#endif

namespace lisle {

/// True if the headers use the extension calls of Lisle.
inline constexpr bool has_extensions = LISLE_USE_EXTENSIONS != 0;
/// What LISLE_CHECKS is in this file.
inline constexpr int check_level = LISLE_CHECKS;

namespace detail {
template <class T, class... Dependence> struct known_later { using type = T; };
/// T, as a type that depends on a template parameter: what is made of it is compiled only in programs that
/// use it.
template <class T, class... Dependence> using later = typename known_later<T, Dependence...>::type;
/// What a static_assert says no to in a template that nobody may use.
template <class T> inline constexpr bool always_false = false;
} // namespace detail

} // namespace lisle
