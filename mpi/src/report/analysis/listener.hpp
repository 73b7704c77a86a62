// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace lisle::report {

struct timed_call;

/// Hears of each call of a run while the records are gone through. Times are in ns since the first rank
/// began.
class run_listener {
  public:
    run_listener() = default;
    run_listener(const run_listener &) = delete;
    run_listener &operator=(const run_listener &) = delete;
    virtual ~run_listener() = default;

    /// Before all else, by rank.
    virtual void rank(int number, std::string_view host) = 0;
    virtual void phase(int rank, int level, std::uint64_t time) = 0;
    /// A call that has ended. For whom it waited is known as far as it was by then.
    virtual void call(const timed_call &one, std::string_view place) = 0;
    /// @param begun of the send @param ended of the call that has received it
    virtual void message(int from, std::uint64_t begun, int to, std::uint64_t ended) = 0;
};

} // namespace lisle::report
