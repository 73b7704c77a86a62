// SPDX-License-Identifier: Apache-2.0
#include "rma/all_locks.hpp"

#include <utility>
#include <vector>

#include "protocol/once_there_is_memory.hpp"
#include "rma/state/failures_within.hpp"
#include "rma/state/window_lock.hpp"

namespace lisle::rma {

namespace {
/// See take_all_locks().
class all_locks {
  public:
    explicit all_locks(window &on) : on_{on}, held_(static_cast<std::size_t>(on.size())) {
        answers_.reserve(held_.size());
    }

    /// Takes all locks. If one cannot be taken, it releases the others and throws.
    void take() {
        for (int first = 0, tries = 0; first < on_.size() && !failures_.any(); ++tries) {
            // After some rounds only the first missing lock is tried: attempts on many would hinder their
            // holders.
            const int end = tries < most_tries ? on_.size() : first + 1;
            if (tries < most_tries) {
                try_from(first);
            }
            while (first < end && held(first)) {
                ++first;
            }
            if (first < end && !failures_.any()) {
                wait_for(first++);
            }
        }
        if (failures_.any()) {
            give_back_from(0);
            settle_given();
            failures_.rethrow();
        }
    }

  private:
    static constexpr int most_tries = 4;
    [[nodiscard]] std::vector<bool>::reference held(int target) {
        return held_[static_cast<std::size_t>(target)];
    }

    void try_from(int first) {
        answers_.clear();
        for (int target = first; target < on_.size(); ++target) {
            if (!on_.members.is_near(target)) {
                failures_.attempt([&] {
                    answers_.emplace_back(target, on_.messages.origin.ask(request_kind::try_lock, target,
                                                                          lock_word::kind::shared));
                });
            }
        }
        for (int target = first; target < on_.size(); ++target) {
            if (on_.members.is_near(target)) {
                held(target) = try_take_lock(on_.members, target, lock_word::kind::shared);
            }
        }
        for (const auto &[target, answer] : answers_) {
            failures_.attempt([&, of = target, told = answer] { held(of) = awaited_answers::settle(told); });
        }
    }
    void wait_for(int target) {
        give_back_from(target + 1);
        failures_.attempt([&] {
            if (on_.members.is_near(target)) {
                take_lock(on_.members, target, lock_word::kind::shared);
            } else {
                awaited_answers::settle(
                    on_.messages.origin.ask(request_kind::lock, target, lock_word::kind::shared));
            }
            held(target) = true;
        });
        settle_given();
    }
    /// Others wait for the locks, so it waits for memory.
    void give_back_from(int first) {
        answers_.clear();
        for (int target = first; target < on_.size(); ++target) {
            if (held(target) && on_.members.is_near(target)) {
                static_cast<void>(give_lock(on_.members, target, lock_word::kind::shared));
            } else if (held(target)) {
                answers_.emplace_back(target, protocol::once_there_is_memory(on_.home(), [&] {
                                          return on_.messages.origin.ask(request_kind::unlock, target,
                                                                         lock_word::kind::shared);
                                      }));
            }
            held(target) = false;
        }
    }
    void settle_given() {
        for (const auto &[target, answer] : answers_) {
            failures_.attempt([&, waited = answer] { awaited_answers::settle(waited); });
        }
    }

    window &on_;
    std::vector<bool> held_;
    std::vector<std::pair<int, awaited_answer *>> answers_; ///< to what was asked last, by target
    failures_within failures_;
};
} // namespace

void take_all_locks(window &on) {
    all_locks{on}.take();
}

} // namespace lisle::rma
