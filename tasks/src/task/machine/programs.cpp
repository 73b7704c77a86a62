// SPDX-License-Identifier: Apache-2.0
#include "task/machine/programs.hpp"

#include <stdexcept>
#include <string>

namespace lisle::tasks {

program_state &program_table::load(std::uint64_t number, const source &written) {
    auto loaded = std::make_unique<program_state>();
    loaded->number = number;
    loaded->text = compile(written, kernels_);
    loaded->text.gateway = static_cast<int>(number >> 32U);
    const std::scoped_lock guard{mutex_};
    return *(programs_[number] = std::move(loaded));
}

program_state &program_table::find(std::uint64_t number) {
    const std::scoped_lock guard{mutex_};
    const auto found = programs_.find(number);
    if (found == programs_.end()) {
        throw std::runtime_error{"a parcel belongs to program " + std::to_string(number) +
                                 ", which is not loaded"};
    }
    return *found->second;
}

bool program_table::contains(std::uint64_t number) const {
    const std::scoped_lock guard{mutex_};
    const auto found = programs_.find(number);
    return found != programs_.end() && !found->second->is_forgotten;
}

void program_table::cancel(std::uint64_t number) {
    const std::scoped_lock guard{mutex_};
    if (const auto found = programs_.find(number); found != programs_.end()) {
        found->second->is_cancelled.store(true, std::memory_order_relaxed);
    }
}

void program_table::complete(program_state &ended, value result) {
    const std::scoped_lock guard{mutex_};
    ended.result = std::move(result);
    ended.is_complete = true;
}

bool program_table::is_complete(const program_state &asked) const {
    const std::scoped_lock guard{mutex_};
    return asked.is_complete;
}

void program_table::remove(std::uint64_t number) {
    std::unique_ptr<program_state> ended; // destroyed without the lock
    const std::scoped_lock guard{mutex_};
    const auto found = programs_.find(number);
    if (found == programs_.end()) {
        return;
    }
    if (keeps_ended_) {
        found->second->is_cancelled.store(true, std::memory_order_relaxed);
        found->second->is_forgotten = true;
        return;
    }
    ended = std::move(found->second);
    programs_.erase(found);
}

void program_table::keep_ended() {
    const std::scoped_lock guard{mutex_};
    keeps_ended_ = true;
}

void program_table::lose(int rank) {
    const std::scoped_lock guard{mutex_};
    keeps_ended_ = true;
    for (const auto &[number, state] : programs_) {
        state->loading.erase(rank);
        if (state->text.gateway == rank) {
            state->is_cancelled.store(true, std::memory_order_relaxed);
        }
    }
}

std::vector<std::uint64_t> program_table::started_by(int rank) const {
    const std::scoped_lock guard{mutex_};
    std::vector<std::uint64_t> numbers;
    for (const auto &[number, state] : programs_) {
        if (state->text.gateway == rank && !state->is_forgotten) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

} // namespace lisle::tasks
