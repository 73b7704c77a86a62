// SPDX-License-Identifier: Apache-2.0
// LISLE_LOG=level[:area,...][:file]: lines for people who look for a fault in the library. What is not asked
// for costs nothing on the way of a message: packets are logged by a fabric around the fabric
// (library/logged_fabric.hpp), matching by an observer (protocol/checking/message_log.hpp), which are there
// only if they are wanted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lisle {

enum class log_area : std::uint8_t {
    matching,   ///< receives that are posted, and what they take
    eager,      ///< packets with whole messages
    rendezvous, ///< packets that announce long messages and move them
    network,    ///< connections, failures
    collective, ///< which algorithm a call uses
    window,     ///< packets of one-sided communication
    file,       ///< files that are opened and closed
    launch,     ///< what a process is, MPI's begin and end
    count,
};

enum class log_level : std::uint8_t {
    off,
    events,  ///< what happens once for a call, a connection, a file or a process
    packets, ///< besides each message and packet
};

/// What a value of LISLE_LOG asks for.
struct log_choice {
    log_level level = log_level::off;
    std::uint8_t areas = 0;      ///< a bit for each log_area
    std::string file;            ///< %p: the process, %r: the rank; empty: the error output
    std::string_view wrong = {}; ///< a word that is neither a level nor an area

    [[nodiscard]] static log_choice of(std::string_view text);
    [[nodiscard]] bool has(log_area area, log_level least) const noexcept {
        return level >= least && (areas >> static_cast<unsigned>(area) & 1U) != 0;
    }
};

/// Whether the environment asks for lines of this area. A value that is wrong is reported once. Thread-safe.
[[nodiscard]] bool logs(log_area area, log_level least = log_level::events) noexcept;

/// Writes one line, with the time, the rank and the area in front: "12.345678 [3] eager: ...". Times of
/// processes of one node can be compared. Thread-safe; lines stay whole. @param rank -1: not known
void log_line(log_area area, int rank, std::string_view text) noexcept;

/// Of a context, which is a large number.
[[nodiscard]] std::string hexadecimal(std::uint64_t number);

} // namespace lisle
