// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/private_object.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace lisle::host {

namespace {

constexpr auto place = [](hosted_rank &rank, void *where) {
    rank.variables.live_at(static_cast<char ***>(where));
};
const private_objects environment_objects{
    {"environ", sizeof(char **), place},
    {"__environ", sizeof(char **), place},
    {"_environ", sizeof(char **), place},
};

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
