// SPDX-License-Identifier: Apache-2.0
// The services of another launcher for its processes: their numbers, and a store of values through which they
// exchange addresses. Each protocol (PMI-1, PMIx) has an implementation of this interface.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lisle {

/// One process's connection to its launcher. All functions may be called by one thread at a time.
class process_manager {
  public:
    process_manager() = default;
    process_manager(const process_manager &) = delete;
    process_manager &operator=(const process_manager &) = delete;
    virtual ~process_manager() = default;

    /// The launcher that answers, for messages: "Hydra (PMI-1)".
    [[nodiscard]] virtual std::string name() const = 0;
    /// The number of the calling process, and how many there are.
    [[nodiscard]] virtual int process() const noexcept = 0;
    [[nodiscard]] virtual int processes() const noexcept = 0;

    /// The node of each process as the launcher tells it, numbered from 0 without gaps in the order of their
    /// first processes; empty if the launcher does not tell.
    [[nodiscard]] virtual std::vector<int> nodes() = 0;

    /// Makes a value known to the processes that ask for it after the next fence(). A key is put once.
    /// @param key letters, digits, '.', '-' and '_', at most 32 characters
    /// Throws mpi_error if the launcher does not take it.
    virtual void put(std::string_view key, std::span<const std::byte> value) = 0;
    /// Returns when all processes have called it. Throws mpi_error if the launcher goes away meanwhile.
    virtual void fence() = 0;
    /// What a process has put before a fence() that has ended. Throws mpi_error (MPI_ERR_OTHER) if there is
    /// nothing under this key.
    [[nodiscard]] virtual std::vector<std::byte> get(int process, std::string_view key) = 0;

    /// Asks the launcher to end all processes. Returns; the caller ends its own process next.
    virtual void abort(int code, const std::string &sentence) noexcept = 0;
    /// Tells the launcher that this process ends normally. Nothing may be called afterwards.
    virtual void finalize() noexcept = 0;
};

/// Numbers nodes from 0 in the order in which their names first appear: {"b", "a", "b"} gives {0, 1, 0}.
[[nodiscard]] std::vector<int> number_nodes(std::span<const std::string> names);

/// A connection to the launcher whose traces stand in the environment; null if no launcher has left any. PMIx
/// is tried first, because launchers that offer both tell more through it. Throws mpi_error with one sentence
/// that names the traces if there are some but no channel answers.
[[nodiscard]] std::unique_ptr<process_manager> connect_to_launcher();

} // namespace lisle
