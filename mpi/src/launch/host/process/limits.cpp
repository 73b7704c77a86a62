// SPDX-License-Identifier: Apache-2.0
// Resource limits. The kernel has one set for the process, so a rank cannot be held to one of its own: it may
// raise what the process has (no rank fails where it would not have), and keep what it has. All else is
// refused, but for dumps of cores: the process makes one as long as one of its ranks wants it.
#include "launch/host/process/number.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/early_calls.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"
#include "library/host_interface.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace lisle::host {

namespace {

const real<"setrlimit", int(__rlimit_resource_t, const rlimit *)> real_set_limit;
const real<"getrlimit", int(__rlimit_resource_t, rlimit *)> real_get_limit;
const real<"prlimit", int(pid_t, __rlimit_resource, const rlimit *, rlimit *)> real_prlimit;

/// What the rank has set, as it reads it back, by resource.
struct own_limits {
    std::array<std::optional<rlimit>, RLIM_NLIMITS> set;
};
const rank_slot<own_limits> rank_limits;
std::mutex limiting; ///< protects the process's limits and the ranks'

bool is_known(int resource) {
    return resource >= 0 && resource < RLIM_NLIMITS;
}

rlimit limit_of(hosted_rank &rank, __rlimit_resource_t resource) {
    const auto &own = rank_limits.of(rank).set[static_cast<std::size_t>(resource)];
    rlimit now{};
    real_get_limit(resource, &now);
    return own.value_or(now);
}

int get_for_rank(hosted_rank &rank, __rlimit_resource_t resource, rlimit *limit) {
    const std::scoped_lock lock(limiting);
    *limit = limit_of(rank, resource);
    return 0;
}

/// Whether a limit of the process could be this one without any rank's being held to less than before.
const char *reason_against(__rlimit_resource_t resource, const rlimit &wanted, const rlimit &now) {
    if (wanted.rlim_cur < now.rlim_cur || wanted.rlim_max < now.rlim_max) {
        return resource == RLIMIT_CORE && wanted.rlim_max >= now.rlim_max ? nullptr : "one set of limits";
    }
    return resource == RLIMIT_STACK && wanted.rlim_cur > now.rlim_cur
               ? "stacks that were made at their start (ulimit -s before it)"
               : nullptr;
}

/// What the process needs so that no rank, this one with its new limit, has less than it has set; and no
/// less than now while there are ranks that have set nothing.
rlimit needed_with(hosted_rank &rank, __rlimit_resource_t resource, rlimit wanted) {
    static std::vector<own_limits *> all; // of ranks that have set something
    own_limits &mine = rank_limits.of(rank);
    if (std::ranges::find(all, &mine) == all.end()) {
        all.push_back(&mine);
    }
    rlimit now{};
    real_get_limit(resource, &now);
    const auto raise_to = [&wanted](const rlimit &other) {
        wanted.rlim_cur = std::max(wanted.rlim_cur, other.rlim_cur);
        wanted.rlim_max = std::max(wanted.rlim_max, other.rlim_max);
    };
    int others = 0;
    for (const own_limits *each : all) {
        const auto &set = each->set[static_cast<std::size_t>(resource)];
        if (each != &mine && set) {
            raise_to(*set);
            ++others;
        }
    }
    if (others + 1 != lisle_host_rank_count()) {
        raise_to(now);
    }
    return wanted;
}

int set_for_rank(hosted_rank &rank, __rlimit_resource_t resource, const rlimit &wanted) {
    if (wanted.rlim_cur > wanted.rlim_max) {
        errno = EINVAL;
        return -1;
    }
    const std::scoped_lock lock(limiting);
    const rlimit now = limit_of(rank, resource);
    if (wanted.rlim_cur == now.rlim_cur && wanted.rlim_max == now.rlim_max) {
        return 0;
    }
    if (const char *const reason = reason_against(resource, wanted, now)) {
        return refuse_call("setrlimit", reason);
    }
    rlimit needed = needed_with(rank, resource, wanted);
    rlimit of_process{};
    real_get_limit(resource, &of_process);
    const bool changes = needed.rlim_cur != of_process.rlim_cur || needed.rlim_max != of_process.rlim_max;
    const int result = changes ? real_set_limit(resource, &needed) : 0;
    if (result == 0) {
        rank_limits.of(rank).set[static_cast<std::size_t>(resource)] = wanted;
    }
    return result;
}

/// getrlimit and setrlimit for a call that returns to `caller`.
int get_limit(const void *caller, __rlimit_resource_t resource, rlimit *limit) {
    return is_known(resource) && is_call_of_rank(caller) ? get_for_rank(*this_rank(), resource, limit)
                                                         : real_get_limit(resource, limit);
}
int set_limit(const void *caller, __rlimit_resource_t resource, const rlimit *limit) {
    return is_known(resource) && is_call_of_rank(caller) ? set_for_rank(*this_rank(), resource, *limit)
                                                         : real_set_limit(resource, limit);
}

int exchange_limit(const void *caller, pid_t process, __rlimit_resource resource, const rlimit *wanted,
                   rlimit *former) {
    if (!is_known(resource) || !is_call_of_rank(caller) || (process != 0 && !is_own_number(process))) {
        return real_prlimit(process, resource, wanted, former);
    }
    rlimit before{};
    get_for_rank(*this_rank(), resource, &before);
    if (wanted != nullptr && set_for_rank(*this_rank(), resource, *wanted) != 0) {
        return -1;
    }
    if (former != nullptr) {
        *former = before;
    }
    return 0;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

static_assert(sizeof(rlimit) == sizeof(rlimit64));

extern "C" {

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int getrlimit(__rlimit_resource_t resource,
                                                                    rlimit *limit) noexcept {
    return has_begun ? get_limit(__builtin_return_address(0), resource, limit)
                     : behind(&getrlimit, "getrlimit")(resource, limit);
}
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int getrlimit64(__rlimit_resource_t resource,
                                                                      rlimit64 *limit) noexcept {
    return has_begun ? get_limit(__builtin_return_address(0), resource, reinterpret_cast<rlimit *>(limit))
                     : behind(&getrlimit64, "getrlimit64")(resource, limit);
}
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int setrlimit(__rlimit_resource_t resource,
                                                                    const rlimit *limit) noexcept {
    return has_begun ? set_limit(__builtin_return_address(0), resource, limit)
                     : behind(&setrlimit, "setrlimit")(resource, limit);
}
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int setrlimit64(__rlimit_resource_t resource,
                                                                      const rlimit64 *limit) noexcept {
    return has_begun
               ? set_limit(__builtin_return_address(0), resource, reinterpret_cast<const rlimit *>(limit))
               : behind(&setrlimit64, "setrlimit64")(resource, limit);
}
int prlimit(pid_t process, __rlimit_resource resource, const rlimit *wanted, rlimit *former) noexcept {
    return exchange_limit(__builtin_return_address(0), process, resource, wanted, former);
}
int prlimit64(pid_t process, __rlimit_resource resource, const rlimit64 *wanted, rlimit64 *former) noexcept {
    return exchange_limit(__builtin_return_address(0), process, resource,
                          reinterpret_cast<const rlimit *>(wanted), reinterpret_cast<rlimit *>(former));
}

} // extern "C"
