// SPDX-License-Identifier: Apache-2.0
// A host's part of --check-hosts: listens, and tries all paths to the other hosts, in processes of their own.
#pragma once

#include <poll.h>
#include <string>
#include <string_view>
#include <vector>

#include "launch/common/descriptor.hpp"
#include "launch/link/host_check.hpp"

namespace lisle::launch {

class check_of_host {
  public:
    /// Begins to listen. Throws launch_error.
    explicit check_of_host(const check_start &start);
    /// What is to be told to the others.
    [[nodiscard]] const host_addresses &own() const noexcept { return own_; }
    /// Tries the paths to all others. @param here the number of this host
    void try_all(int here, const std::vector<host_addresses> &hosts);

    /// Appends what to poll for: one entry.
    void prepare(std::vector<pollfd> &polled) const;
    /// @return what has been found, as packed paths; empty: it is not known yet
    [[nodiscard]] std::string handle(const pollfd &polled);

  private:
    check_start start_;
    host_addresses own_;
    descriptor results_;
    std::string heard_;
};

} // namespace lisle::launch
