// SPDX-License-Identifier: Apache-2.0
#include "launch/host/rank/hosted_rank.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace lisle::host {

namespace {

std::vector<hosted_rank::slot_type> &slot_types() {
    static std::vector<hosted_rank::slot_type> types;
    return types;
}

} // namespace

std::size_t hosted_rank::add_slot(const slot_type &type) {
    slot_types().push_back(type);
    return slot_types().size() - 1;
}

hosted_rank::hosted_rank(int which, int number_in_job, int which_program, std::vector<std::string> words)
    : index(which), number(number_in_job), program(which_program), arguments(std::move(words)) {
    for (const slot_type &each : slot_types()) {
        slots_.push_back(each.make());
    }
}

hosted_rank::~hosted_rank() {
    for (std::size_t i = slots_.size(); i != 0; --i) {
        slot_types()[i - 1].destroy(slots_[i - 1]);
    }
}

namespace {

// The kernel's answer: `getpid` of this program is a rank's.
pid_t process_now() noexcept {
    return static_cast<pid_t>(::syscall(SYS_getpid));
}

} // namespace

pid_t host_process() noexcept {
    static const pid_t number = process_now();
    return number;
}

// The number is noted before any rank runs. A forked child has another, also after vfork, where memory is
// shared.
bool in_child() noexcept {
    return process_now() != host_process();
}

} // namespace lisle::host
