// SPDX-License-Identifier: Apache-2.0
#include "api/mixed_sessions.hpp"

#include "abi/mistakes.hpp"
#include "base/error.hpp"
#include "communicator/communicator.hpp"
#include "protocol/message/request.hpp"

namespace lisle::abi {

void report_mixed_sessions(std::uint64_t one, std::uint64_t other) {
    report_mistake(sentence(in_words(current_call()), " is given objects of two sessions, number ", one,
                            " and number ", other, " of the rank: they must not be mixed"));
}

void look_at_sessions(std::span<const MPI_Request> requests) {
    std::uint64_t first = 0;
    for (const MPI_Request each : requests) {
        const auto *const made = object_of<protocol::request>(each);
        const std::uint64_t theirs = made != nullptr && made->comm != nullptr
                                         ? made->comm->session.load(std::memory_order_relaxed)
                                         : 0;
        if (first != 0 && theirs != 0 && theirs != first) {
            report_mixed_sessions(first, theirs);
            return;
        }
        first = first != 0 ? first : theirs;
    }
}

} // namespace lisle::abi
