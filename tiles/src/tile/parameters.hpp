// SPDX-License-Identifier: Apache-2.0
// What a modelled machine is made of: the size of its mesh, its buffers, and what each action costs in
// cycles. Each parameter has a name, a default and a source; a small text file changes them ("name = value",
// "#" begins a comment).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace lisle::tile {

/// A point in virtual time, or a length of it, in cycles of the machine's one clock.
using cycle = std::int64_t;

struct parameters {
    // the mesh
    std::int64_t width, height;
    std::int64_t port_output_words, port_input_words, link_words;
    cycle header_cycles;
    std::int64_t clock_mhz;
    // the core and its network interface
    cycle interrupt_entry_cycles, interrupt_exit_cycles;
    cycle send_word_cycles, receive_word_cycles, packet_cycles;
    cycle watchdog_cycles, watchdog_word_cycles;
    // the message library
    cycle call_cycles, match_cycles, step_cycles, allocate_cycles, copy_word_cycles, clock_cycles;
    // programs
    cycle trapezoid_point_cycles, pi_point_cycles, jacobi_point_cycles, product_step_cycles;
    std::int64_t shared_memory_percent;

    /// The defaults: a Raw processor of 4 x 4 tiles.
    parameters();

    [[nodiscard]] int tiles() const noexcept { return static_cast<int>(width * height); }
};

/// One row of the table of parameters.
struct parameter {
    std::string_view name;
    std::int64_t parameters::*value;
    std::int64_t initially, least, most;
    std::string_view unit;
    std::string_view meaning;
    std::string_view source; ///< where the default comes from
};

[[nodiscard]] std::span<const parameter> parameter_table() noexcept;

/// Changes one parameter. Throws std::invalid_argument with a sentence if there is no such name or the value
/// is out of its range.
void set_parameter(parameters &changed, std::string_view name, std::int64_t value);

/// Reads "name = value" lines over `changed`. Throws std::invalid_argument, naming `file` and the line.
void read_parameters(parameters &changed, std::istream &from, const std::string &file);

/// Writes a file that read_parameters() accepts, with meaning and source of each parameter as comments.
void write_parameters(const parameters &written, std::ostream &to);

} // namespace lisle::tile
