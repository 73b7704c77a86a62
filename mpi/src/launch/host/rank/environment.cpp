// SPDX-License-Identifier: Apache-2.0
#include "launch/host/rank/environment.hpp"

#include <cstring>
#include <unistd.h>

namespace lisle::host {

environment::environment() {
    for (char **each = environ; each != nullptr && *each != nullptr; ++each) {
        entries_.push_back(*each);
    }
    entries_.push_back(nullptr);
    own_variable_ = entries_.data();
}

char **environment::find(std::string_view name) const {
    for (char **each = *variable_; each != nullptr && *each != nullptr; ++each) {
        if (std::strncmp(*each, name.data(), name.size()) == 0 && (*each)[name.size()] == '=') {
            return each;
        }
    }
    return nullptr;
}

char *environment::get(std::string_view name) const {
    const std::scoped_lock lock(mutex_);
    char **const entry = find(name);
    return entry != nullptr ? *entry + name.size() + 1 : nullptr;
}

// Makes entries_ the array again if the program put another in its place.
void environment::adopt() {
    if (*variable_ != entries_.data()) {
        entries_.clear();
        for (char **each = *variable_; each != nullptr && *each != nullptr; ++each) {
            entries_.push_back(*each);
        }
        entries_.push_back(nullptr);
        *variable_ = entries_.data();
    }
}

void environment::put(char *entry) {
    const std::scoped_lock lock(mutex_);
    put_locked(entry);
}

void environment::set(std::string entry) {
    const std::scoped_lock lock(mutex_);
    put_locked(copies_.emplace_back(std::move(entry)).data());
}

void environment::put_locked(char *entry) {
    adopt();
    if (char **const old = find({entry, std::strcspn(entry, "=")}); old != nullptr) {
        *old = entry;
        return;
    }
    entries_.back() = entry;
    entries_.push_back(nullptr);
    *variable_ = entries_.data();
}

void environment::remove(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    adopt();
    while (char **const entry = find(name)) {
        entries_.erase(entries_.begin() + (entry - entries_.data()));
    }
}

void environment::clear() {
    const std::scoped_lock lock(mutex_);
    entries_.assign(1, nullptr);
    *variable_ = entries_.data();
}

char **environment::array() const {
    const std::scoped_lock lock(mutex_);
    return *variable_;
}

void environment::live_at(char ***variable) {
    const std::scoped_lock lock(mutex_);
    *variable = *variable_;
    variable_ = variable;
}

} // namespace lisle::host
