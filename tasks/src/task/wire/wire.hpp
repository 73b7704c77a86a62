// SPDX-License-Identifier: Apache-2.0
// Values as bytes and back. Large objects stay where they are and travel as handles.
#pragma once

#include <functional>

#include "task/wire/keeper.hpp"
#include <lisle/task/kernel.hpp>

namespace lisle::tasks {

struct program_state;

/// Writes values for another rank.
class value_writer {
  public:
    value_writer(keeper &keeps, std::size_t largest_inline) noexcept
        : keeper_{keeps}, largest_{largest_inline} {}
    void write(const value &given, encoder &out);
    /// The object itself, whatever its size. @pre text or boxed
    static void write_content(const value &given, encoder &out);

  private:
    void write_object(object &given, encoder &out);
    void write_handle(object &given, std::uint64_t type, std::uint64_t size, encoder &out);
    keeper &keeper_;
    const std::size_t largest_;
};

/// Reads what another rank has written. Throws std::runtime_error for what no writer writes.
class value_reader {
  public:
    using find_program = std::function<program_state &(std::uint64_t)>;
    /// @param from the rank that has written
    value_reader(keeper &keeps, const registry &kernels, find_program programs, int from)
        : keeper_{keeps}, kernels_{kernels}, programs_{std::move(programs)}, from_{from} {}
    value read(decoder &in) { return read(in, 0); }

  private:
    value read(decoder &in, int depth);
    value read_boxed(decoder &in);
    value read_handle(decoder &in);
    value read_closure(decoder &in, int depth);
    value read_failure(decoder &in);
    keeper &keeper_;
    const registry &kernels_;
    const find_program programs_;
    const int from_;
};

} // namespace lisle::tasks
