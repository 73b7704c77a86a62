// SPDX-License-Identifier: Apache-2.0
// PMI-1, the line protocol of Hydra (MPICH's and Intel's mpiexec), Flux and others: one line of `name=value`
// words for each request and each answer, over a descriptor that the process inherits (PMI_FD).
// [P. Balaji et al.: PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems, 2010]
#pragma once

#include <optional>
#include <string>

#include "world/pmi/process_manager.hpp"

namespace lisle {

class pmi1_client final : public process_manager {
  public:
    /// @param descriptor connected to the launcher; this object closes it
    /// @param process number of the calling process @param processes how many there are
    /// Throws mpi_error if what answers does not speak PMI-1.
    pmi1_client(int descriptor, int process, int processes);
    ~pmi1_client() override;

    [[nodiscard]] std::string name() const override { return "a PMI-1 launcher (Hydra, Flux)"; }
    [[nodiscard]] int process() const noexcept override { return process_; }
    [[nodiscard]] int processes() const noexcept override { return processes_; }
    [[nodiscard]] std::vector<int> nodes() override;
    void put(std::string_view key, std::span<const std::byte> value) override;
    void fence() override;
    [[nodiscard]] std::vector<std::byte> get(int process, std::string_view key) override;
    void abort(int code, const std::string &sentence) noexcept override;
    void finalize() noexcept override;

  private:
    void send(std::string_view line);
    [[nodiscard]] std::string receive_line();
    /// Sends a request and returns its answer, which must be the named command.
    [[nodiscard]] std::string ask(std::string_view request, std::string_view answer);
    /// The text under a key of the job's store; nothing if there is none.
    [[nodiscard]] std::optional<std::string> look_up(const std::string &key);

    int descriptor_;
    int process_;
    int processes_;
    std::string store_;             ///< the name of the job's store
    std::size_t longest_value_ = 0; ///< of the store, in characters
    std::string unread_;            ///< what has been read behind the last line
};

/// The node of each process from the launcher's mapping, "(vector,(first node, nodes, processes for
/// each),...)", whose blocks repeat until all processes have a place; empty if the text is no such mapping.
[[nodiscard]] std::vector<int> nodes_from_mapping(std::string_view mapping, int processes);

/// The value of a word in a line: word_in("cmd=get_result rc=0", "rc") is "0". The word named `value`
/// extends to the end of the line.
[[nodiscard]] std::optional<std::string_view> word_in(std::string_view line, std::string_view name);

} // namespace lisle
