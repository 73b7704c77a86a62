// SPDX-License-Identifier: Apache-2.0
// What the launcher tells a process that it starts, in one variable of the environment:
// LISLE_JOB=table=100;process=2;labels=1;bind=0-3. The launcher writes the record, the library and the host
// of thread and fiber ranks read it. Settings, which users choose, are no part of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lisle {

inline constexpr const char *process_record_variable = "LISLE_JOB";

/// A field that has its default value does not stand in the variable.
struct process_record {
    std::optional<int> table{};   ///< descriptor of the job's table; nothing: another launcher's job
    std::optional<int> process{}; ///< index of this process in that table
    int program = 0;              ///< index of its program among those of the command line
    bool host = false;            ///< it runs thread or fiber ranks, and is lisle-host
    std::optional<int> ranks{};   ///< in another launcher's job: ranks of this process
    int workers = 0;              ///< and its worker threads; 0: the ranks are no fibers
    bool labels = false;          ///< the host puts the rank in front of each line
    int input = 0;                ///< the rank that reads standard input
    std::string bind{};           ///< ranks are bound to places() of this; empty: they are not
    std::string choices{};        ///< folder of the choices that the run is to follow; empty: there is none

    /// Throws mpi_error (MPI_ERR_OTHER) with the field and its value if the text is no record.
    [[nodiscard]] static process_record parse(std::string_view text);
    /// The text that parse() makes the same record of. Throws mpi_error (MPI_ERR_ARG) if a text of
    /// it has a semicolon.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const process_record &, const process_record &) = default;
};

/// True if a launcher of Lisle has started this process, or one that it descends from.
[[nodiscard]] bool has_process_record() noexcept;
/// The record of this process, read once; all defaults if there is none. Thread-safe. Throws mpi_error
/// (MPI_ERR_OTHER) if the variable holds no record.
[[nodiscard]] const process_record &own_record();

} // namespace lisle
