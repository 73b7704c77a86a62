// SPDX-License-Identifier: Apache-2.0
#include "file/range_lock.hpp"

#include <chrono>
#include <thread>

#include "protocol/engine.hpp"

namespace lisle::file {

range_lock::range_lock(const descriptor &of, const file_run &range, lock_kind kind, protocol::engine *home)
    : of_{of}, range_{range} {
    constexpr std::chrono::microseconds between_looks{50}; // about the duration of a short access
    for (;;) {
        switch (of.try_lock(range, kind)) {
        case lock_answer::taken:
            taken_ = true;
            return;
        case lock_answer::unsupported:
            return;
        case lock_answer::busy:
            break;
        }
        if (home != nullptr) {
            home->found_nothing();
        } else {
            std::this_thread::sleep_for(between_looks);
        }
    }
}

range_lock::~range_lock() {
    if (taken_) {
        of_.unlock(range_);
    }
}

} // namespace lisle::file
