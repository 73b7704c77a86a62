// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/progressors.hpp"

#include <mutex>
#include <new>
#include <utility>

namespace lisle::protocol {

void progressors::add(progressor &work) {
    const std::scoped_lock guard{lock_};
    progressor **end = &first_;
    while (*end != nullptr) {
        end = &(*end)->next_;
    }
    *end = &work;
    any_.store(true, std::memory_order_relaxed);
}

progressor *progressors::take() {
    if (!lock_.try_lock()) {
        return nullptr;
    }
    progressor *const list = std::exchange(first_, nullptr);
    any_.store(false, std::memory_order_relaxed);
    lock_.unlock();
    return list;
}

bool progressors::advance(progressor *&list) {
    bool finished_any = false;
    progressor *rest = std::exchange(list, nullptr);
    progressor **end = &list;
    while (rest != nullptr) {
        progressor *const current = std::exchange(rest, rest->next_);
        current->next_ = nullptr;
        bool goes_on = true;
        try {
            goes_on = current->advance();
        } catch (const std::bad_alloc &) { // it is tried again
        } catch (...) {
            *end = rest;
            throw;
        }
        if (goes_on) {
            *end = current;
            end = &current->next_;
        } else {
            finished_any = true;
        }
    }
    return finished_any;
}

void progressors::put_back(progressor &list) {
    progressor *last = &list;
    while (last->next_ != nullptr) {
        last = last->next_;
    }
    const std::scoped_lock guard{lock_};
    last->next_ = std::exchange(first_, &list);
    any_.store(true, std::memory_order_relaxed);
}

} // namespace lisle::protocol
