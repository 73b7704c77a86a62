// SPDX-License-Identifier: Apache-2.0
// The files that a rank has opened with fopen. The C library flushes all of a process's files at the end of
// the process; a rank's are flushed when the rank ends, or lose what they hold if it ends by _exit.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <cstdio>
#include <mutex>
#include <set>

namespace lisle::host {

class open_streams {
  public:
    void add(std::FILE *file);
    void remove(std::FILE *file);
    void flush_all();
    void discard_all();

  private:
    /// Calls it for each file that no thread of the rank has locked.
    template <class Call> void for_all(Call call);

    std::mutex mutex_; ///< protects the set
    std::set<std::FILE *> files_;
};

inline const rank_slot<open_streams> rank_files;

} // namespace lisle::host
