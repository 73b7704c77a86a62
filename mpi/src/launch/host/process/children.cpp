// SPDX-License-Identifier: Apache-2.0
#include "launch/host/process/children.hpp"

#include <algorithm>
#include <sys/time.h>

namespace lisle::host {

void own_children::add(pid_t child) {
    const std::scoped_lock lock(mutex_);
    numbers_.push_back(child);
}

void own_children::remove(pid_t child, const rusage &used) {
    const std::scoped_lock lock(mutex_);
    std::erase(numbers_, child);
    add_usage(used_, used);
}

std::vector<pid_t> own_children::all() {
    const std::scoped_lock lock(mutex_);
    return numbers_;
}

rusage own_children::used() {
    const std::scoped_lock lock(mutex_);
    return used_;
}

void add_usage(rusage &sum, const rusage &more) noexcept {
    timeradd(&sum.ru_utime, &more.ru_utime, &sum.ru_utime);
    timeradd(&sum.ru_stime, &more.ru_stime, &sum.ru_stime);
    sum.ru_maxrss = std::max(sum.ru_maxrss, more.ru_maxrss);
    sum.ru_minflt += more.ru_minflt;
    sum.ru_majflt += more.ru_majflt;
    sum.ru_inblock += more.ru_inblock;
    sum.ru_oublock += more.ru_oublock;
    sum.ru_nvcsw += more.ru_nvcsw;
    sum.ru_nivcsw += more.ru_nivcsw;
}

} // namespace lisle::host
