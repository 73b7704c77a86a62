// SPDX-License-Identifier: Apache-2.0
// Which MPI function the calling thread is in, and where the program called it: read off the stack, so that
// calls keep no note of it.
#pragma once

#include <string>
#include <string_view>

#include "abi/call_address.hpp"
#include "base/call_chain.hpp"

namespace lisle::abi {

/// Part of a loaded file, as addr2line takes it, or a place in words, as source_line() takes either.
struct code_place {
    std::string file; ///< empty: not known
    call_chain offsets{};
};
/// Where this address lies. Other processes find the file under its name, too.
[[nodiscard]] code_place place_of(const void *address);

/// The same of code of the program's that the thread is in, and of the calls that led to it.
/// @param returns_to where a function that it calls returns to
[[nodiscard]] code_place place_of_running(const void *returns_to);

struct call_place {
    std::string_view call; ///< "MPI_Recv", of static duration; empty: the thread is in no MPI function
    code_place site;
};
[[nodiscard]] call_place current_call();
/// A call that is known by addresses.
[[nodiscard]] call_place place_of(const call_address &found);

/// The general part of an entry point that has a fast path (see tools/generate_entry_points.py): a function
/// of its own, which is known here by its address. One for each, of static duration.
class general_call {
  public:
    general_call(const char *name, const void *function) noexcept;
    [[nodiscard]] static const char *find(const void *function) noexcept;

  private:
    const char *name_;
    const void *function_;
    general_call *next_;
};

} // namespace lisle::abi

/// Makes known that the library with this address stands between programs and this library, as faces do: what
/// calls it is the program. @param loaded 0: no longer, it is about to be unloaded
extern "C" [[gnu::visibility("default")]] void lisle_stands_between(const void *within, int loaded);

/// The place of the program that a call has come from, as "ring.c:23", cut to the room there is. For tools
/// that were built together with this library. @param site where the call returns to @param outer where that
/// function returns to, if it is one of Lisle's Fortran procedures; else null
/// @return 0 if it is one of those and `outer` is needed, else 1 @pre room > 0
extern "C" [[gnu::visibility("default")]] int lisle_call_place(const void *site, const void *outer,
                                                               char *text, int room) noexcept;
