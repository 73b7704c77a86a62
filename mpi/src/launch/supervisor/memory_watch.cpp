// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/memory_watch.hpp"

#include <optional>
#include <utility>

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

namespace {

std::filesystem::path events_of(const control_group &group) {
    return group.folder / (group.version == 1 ? "memory.oom_control" : "memory.events");
}

/// The innermost group that has a limit, in words; empty where none has, so that the machine itself lacks
/// memory.
std::string limit_of(const std::vector<control_group> &groups) {
    constexpr std::uint64_t no_limit = std::uint64_t{1}
                                       << 60; // what version 1 says is a little less than 2^63
    for (const auto &group : groups) {
        const char *const name = group.version == 1 ? "memory.limit_in_bytes" : "memory.max";
        if (const auto limit = number_in(group.folder / name); limit && *limit < no_limit) {
            return sentence(" (", name, " of the control group: ", *limit >> 20, " MiB)");
        }
    }
    return {};
}

} // namespace

memory_watch::memory_watch(std::vector<control_group> groups) : groups_{std::move(groups)}, told_{kills()} {}

std::uint64_t memory_watch::kills() const {
    for (const auto &group : groups_) {
        if (exists(events_of(group))) {
            return entries_in(events_of(group), {"oom_kill"});
        }
    }
    return 0;
}

std::string memory_watch::explain_kill() {
    const auto before = std::exchange(told_, kills());
    return told_ > before ? ": the kernel has ended it for lack of memory" + limit_of(groups_)
                          : std::string{};
}

} // namespace lisle::launch
