// SPDX-License-Identifier: Apache-2.0
// The origins' buffers of accesses to windows that are not complete (LISLE_CHECK=2). Most accesses have no
// request: a synchronisation completes them.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "api/buffer_use.hpp"

namespace lisle::rma {
class window_members;
}

namespace lisle::abi {

/// Of one rank. Thread-safe.
class origin_buffers {
  public:
    struct access {
        const rma::window_members *window;
        int target;
        bool has_request; ///< a wait for it completes the access, too
        watched_list used;
        call_address place{};
        std::optional<stack_frame> holder{};
    };
    /// The call that the thread is in has begun an access. @param complete its data are there already
    void begin(access made, bool complete);
    /// Accesses to the target of a window, or to all (-1), are complete at their origin; null: those that
    /// have requests. Names buffers that were changed meanwhile.
    void end(const rma::window_members *window, int target);
    /// Names those that memory which a call is about to use collides with.
    void look(const watched_memory &used);
    /// The same of a load or store; calls `report` with each.
    template <class Report> void find(access_filter::range touched, bool writes, const Report &report) {
        const std::scoped_lock guard{mutex_};
        for (const access &each : accesses_) {
            for (const watched_memory &memory : each.used.all()) {
                if (memory.meets(touched, writes)) {
                    report(buffer_use{each.place, memory.how()});
                }
            }
        }
    }

  private:
    static constexpr std::size_t most_accesses = 1024; ///< others are not looked at
    std::mutex mutex_;                                 ///< protects accesses_; taken behind others
    std::vector<access> accesses_;
};

} // namespace lisle::abi
