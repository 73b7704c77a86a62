// SPDX-License-Identifier: Apache-2.0
// A trace: what the ranks of a job have called, in one file, so that the same calls can be made again on
// another machine without the program (lislerun --record-trace, --replay-trace). Behind the head come a
// section for each rank (where its record is), the names of what the trace leaves out, and the records.
// A record is a row of items, each a number that says which, and what belongs to it.
#pragma once

#include <cstdint>
#include <string_view>

namespace lisle::replay {

struct trace_head {
    static constexpr std::uint64_t lisle = 0x7961'6c70'6572'6c6c; // "llreplay"
    static constexpr std::uint32_t current_version = 2;
    std::uint64_t magic = lisle;
    std::uint32_t version = current_version;
    std::uint32_t ranks = 0;
    std::uint64_t left_out_bytes = 0; ///< of the names of what is left out, with ", " between
};

/// Of one rank's record.
struct trace_section {
    std::uint64_t begin = 0; ///< in the file
    std::uint64_t bytes = 0;
    std::uint64_t sum = 0; ///< sum_of() of them
};

/// FNV-1a.
[[nodiscard]] constexpr std::uint64_t sum_of(std::string_view bytes) noexcept {
    std::uint64_t sum = 0xcbf2'9ce4'8422'2325;
    for (const char each : bytes) {
        sum = (sum ^ static_cast<unsigned char>(each)) * 0x100'0000'01b3;
    }
    return sum;
}

enum class item : std::uint64_t {
    end,       ///< zeros from here on: the rank has written nothing more
    function,  ///< the name of one that the rank calls; numbered from 0 in order: text
    compute,   ///< cycles of a modelled core
    access,    ///< memory that the rank has used: address, bytes, 1 if it has written
    processor, ///< nanoseconds of a processor's time, where the machine was no modelled one
    pause,     ///< nanoseconds in which the rank has waited outside of MPI
    reading,   ///< MPI_Wtime
    vain,      ///< looks that have found nothing: function, how many, items between two of them, arguments
    look,      ///< one that has found something after such ones, or after none: the same, and the outcome
    call,      ///< this one and more: a call of the function with this number: arguments
};

/// Handles in arguments: 0 is null, an even number twice a predefined handle, an odd one twice the place of
/// an object in the rank's table of its kind and 1. Requests: 0 is null, else the place and 1.
inline constexpr std::uint64_t predefined_handles = 0x1000; ///< are less

/// How the memory of an argument is given.
enum class memory_use : std::uint64_t { own, in_place, automatic };

/// Weights of a graph's edges.
enum class weights_use : std::uint64_t { given, unweighted, empty };

} // namespace lisle::replay
