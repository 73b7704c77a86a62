// SPDX-License-Identifier: Apache-2.0
// The C library itself reads the process's environment variables. While one of these objects lives, it sees
// those of the calling thread's rank instead. One thread at a time has such an object, so what the C library
// derives from the variables (the time zone, say) is the rank's, too, until the object ends.
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
