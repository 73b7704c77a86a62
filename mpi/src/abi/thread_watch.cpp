// SPDX-License-Identifier: Apache-2.0
#include "abi/thread_watch.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <vector>

#include "abi/call_address.hpp"
#include "abi/mistakes.hpp"
#include "base/checks.hpp"
#include "base/error.hpp"
#include "execution/rank.hpp"
#include "execution/rank_local.hpp"
#include "rma/races/watch.hpp"

namespace lisle::abi {

namespace {

/// A thread that is in MPI.
struct caller {
    pthread_t thread;
    call_address call;
    int depth = 1; ///< callbacks may call MPI
};

struct thread_calls {
    std::mutex mutex; ///< protects the others
    pthread_t main{};
    bool watched = false;
    std::vector<caller> inside;
};
const rank_local<thread_calls> calls;

auto find_own(thread_calls &own) {
    return std::ranges::find_if(
        own.inside, [](const caller &each) { return pthread_equal(each.thread, pthread_self()) != 0; });
}

void begin_call(const rank &self, thread_calls &own) {
    if (const auto found = find_own(own); found != own.inside.end()) {
        ++found->depth;
        return;
    }
    const bool others = self.thread_level < MPI_THREAD_SERIALIZED;
    if (others && pthread_equal(own.main, pthread_self()) == 0) {
        report_mistake(
            sentence(in_words(current_address()),
                     " is called by another thread than the main one: the "
                     "granted level is ",
                     self.thread_level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED" : "MPI_THREAD_SINGLE"));
    } else if (!others && !own.inside.empty()) {
        report_mistake(
            sentence(in_words(current_address()), " is called while another thread of the rank is in ",
                     in_words(own.inside.front().call), ": the granted level is MPI_THREAD_SERIALIZED"));
    }
    own.inside.push_back({pthread_self(), current_address()});
}

void end_call(thread_calls &own) {
    const auto found = find_own(own);
    if (found != own.inside.end() && --found->depth == 0) {
        own.inside.erase(found);
    }
}

void observe(bool begins) noexcept {
    rank *const self = rank_at_once();
    if (self == nullptr) {
        return;
    }
    thread_calls &own = calls.of(*self);
    const std::scoped_lock guard{own.mutex};
    if (!own.watched) {
        return;
    }
    try {
        begins ? begin_call(*self, own) : end_call(own);
    } catch (const std::exception &) { // without memory nothing is said
        own.inside.clear();
    }
}

} // namespace

void watch_threads(rank &self) {
    const bool some = self.thread_level == MPI_THREAD_FUNNELED || self.thread_level == MPI_THREAD_SERIALIZED;
    if (!some || !checks(check_level::cheap)) {
        return;
    }
    thread_calls &own = calls.of(self);
    const std::scoped_lock guard{own.mutex};
    own.main = pthread_self();
    own.watched = true;
    rma::call_among_ranks::observe = observe;
    rma::call_among_ranks::watch_all();
}

} // namespace lisle::abi
