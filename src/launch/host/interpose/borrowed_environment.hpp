// SPDX-License-Identifier: Apache-2.0
// The C library reads environment variables by ways of its own, which see the process's only. While one of
// these objects lives it sees the calling thread's rank's. One thread at a time: what the C library learns
// from the variables (the time zone, say) is the rank's as well until the object ends.
#pragma once

namespace lisle::host {

class hosted_rank;

class borrowed_environment {
  public:
    /// Null: the process's own variables.
    explicit borrowed_environment(const hosted_rank *rank);
    ~borrowed_environment();
    borrowed_environment(const borrowed_environment &) = delete;
    borrowed_environment &operator=(const borrowed_environment &) = delete;

  private:
    char **own_;
};

} // namespace lisle::host
