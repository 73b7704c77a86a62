// SPDX-License-Identifier: Apache-2.0
#include "launch/host/interpose/environment.hpp"

#include "launch/host/image/private_object.hpp"
#include "launch/host/interpose/real.hpp"
#include "launch/host/life/hosted_rank.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
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

std::span<const private_object> environment_objects() {
    constexpr auto place = [](hosted_rank &rank, void *where) {
        rank.variables.live_at(static_cast<char ***>(where));
    };
    static constexpr std::array<private_object, 3> objects{{
        {"environ", sizeof(char **), place},
        {"__environ", sizeof(char **), place},
        {"_environ", sizeof(char **), place},
    }};
    return objects;
}

namespace {

const real<"getenv", char *(const char *)> real_getenv;
const real<"secure_getenv", char *(const char *)> real_secure_getenv;
const real<"setenv", int(const char *, const char *, int)> real_setenv;
const real<"unsetenv", int(const char *)> real_unsetenv;
const real<"putenv", int(char *)> real_putenv;
const real<"clearenv", int()> real_clearenv;

bool is_name(const char *name) {
    if (name == nullptr || *name == '\0' || std::strchr(name, '=') != nullptr) {
        errno = EINVAL;
        return false;
    }
    return true;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

char *getenv(const char *name) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_getenv(name) : rank->variables.get(name);
}

char *secure_getenv(const char *name) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_secure_getenv(name) : rank->variables.get(name);
}

int setenv(const char *name, const char *value, int overwrite) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_setenv(name, value, overwrite);
    }
    if (!is_name(name)) {
        return -1;
    }
    if (overwrite != 0 || rank->variables.get(name) == nullptr) {
        rank->variables.set(std::string(name) + "=" + value);
    }
    return 0;
}

int unsetenv(const char *name) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_unsetenv(name);
    }
    if (!is_name(name)) {
        return -1;
    }
    rank->variables.remove(name);
    return 0;
}

int putenv(char *entry) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_putenv(entry);
    }
    if (std::strchr(entry, '=') == nullptr) {
        return unsetenv(entry);
    }
    rank->variables.put(entry);
    return 0;
}

int clearenv() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_clearenv();
    }
    rank->variables.clear();
    return 0;
}

} // extern "C"
