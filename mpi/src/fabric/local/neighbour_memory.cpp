// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/neighbour_memory.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.hpp"

namespace lisle::fabric::local {

neighbour_memory::rooms::rooms(const sharers &who) noexcept {
    const auto processes = static_cast<std::size_t>(who.processes);
    const auto ranks = static_cast<std::size_t>(who.ranks);
    left = sizeof who.secret;
    pipes = align_up(left + processes * sizeof(std::atomic<std::uint32_t>), alignof(pipe_name));
    mailboxes = align_up(pipes + ranks * sizeof(pipe_name), page_bytes);
    end = align_up(mailboxes + ranks * mailbox_layout::for_job_of(who.ranks).bytes(), page_bytes);
}

neighbour_memory neighbour_memory::make(const sharers &who) {
    neighbour_memory made{mapped_file::reserve(mapped_file::make("lisle-neighbours"), 0, rooms{who}.end,
                                               sentence("the meeting of ", who.ranks, " ranks")),
                          who};
    made.secret() = who.secret; // all else is zero
    return made;
}

std::optional<neighbour_memory> neighbour_memory::open(pid_t maker, int descriptor, const sharers &who) {
    owned_descriptor opened = open_of_process(maker, descriptor, O_RDWR);
    struct stat about {};
    if (!opened || fstat(opened.get(), &about) != 0 || about.st_size != static_cast<off_t>(rooms{who}.end)) {
        return std::nullopt;
    }
    const auto bytes = static_cast<std::size_t>(about.st_size);
    neighbour_memory found{mapped_file::of(opened.release(), 0, bytes, "the memory of neighbours"), who};
    if (found.secret() != who.secret) {
        return std::nullopt;
    }
    found.close_descriptor();
    return found;
}

} // namespace lisle::fabric::local
