// SPDX-License-Identifier: Apache-2.0
#include "task/value/remote.hpp"

#include <stdexcept>

namespace lisle::tasks {

void cell::put(value given) {
    std::deque<continuation> served;
    {
        const std::scoped_lock guard{mutex_};
        if (sort_ == sort::block) {
            throw std::logic_error{"a block is not assigned: update gives it its next value"};
        }
        if (sort_ == sort::variable && is_closed_) {
            throw std::logic_error{"the variable has a value already (" + to_string(values_.front()) +
                                   "): it is assigned once"};
        }
        if (is_closed_) {
            throw std::logic_error{"the buffer is closed"};
        }
        if (sort_ == sort::variable) {
            is_closed_ = true;
            values_.push_back(given);
            served.swap(waiting_);
        } else if (waiting_.empty()) {
            values_.push_back(std::move(given));
        } else {
            served.push_back(std::move(waiting_.front()));
            waiting_.pop_front();
        }
    }
    for (const continuation &then : served) {
        then(given);
    }
}

void cell::close() {
    std::deque<continuation> served;
    {
        const std::scoped_lock guard{mutex_};
        if (sort_ == sort::block) {
            throw std::logic_error{"a block has no end: buffers are closed"};
        }
        is_closed_ = true;
        served.swap(waiting_);
    }
    for (const continuation &then : served) {
        then({});
    }
}

ref<cell> cell::replace(ref<cell> next) {
    const std::scoped_lock guard{mutex_};
    return std::exchange(newest_, std::move(next));
}

ref<cell> cell::newest() {
    const std::scoped_lock guard{mutex_};
    return newest_;
}

void cell::get(continuation then) {
    if (sort_ == sort::block) {
        return newest()->get(std::move(then));
    }
    value found;
    {
        const std::scoped_lock guard{mutex_};
        if (values_.empty() && !is_closed_) {
            waiting_.push_back(std::move(then));
            return;
        }
        if (!values_.empty()) {
            found = values_.front();
            if (sort_ == sort::buffer) {
                values_.pop_front();
            }
        }
    }
    then(std::move(found));
}

void remote_object::when_here(std::function<void()> then) {
    bool ask = false;
    {
        const std::scoped_lock guard{mutex_};
        if (!is_here()) {
            waiting_.push_back(std::move(then));
            ask = !std::exchange(is_requested_, true);
            then = nullptr;
        }
    }
    if (then) {
        then();
    } else if (ask) {
        keeper_->request(ref<remote_object>{this});
    }
}

void remote_object::arrive(value content) {
    std::vector<std::function<void()>> served;
    {
        const std::scoped_lock guard{mutex_};
        content_ = std::move(content);
        is_here_.store(true, std::memory_order_release);
        served.swap(waiting_);
    }
    for (const auto &then : served) {
        then();
    }
}

} // namespace lisle::tasks
