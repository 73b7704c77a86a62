// SPDX-License-Identifier: Apache-2.0
#include "abi/unreceived.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/open_handles.hpp"
#include "communicator/communicator.hpp"
#include "communicator/directory.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"

namespace lisle::abi {

namespace {

std::string line_about(const rank &self, const wait_note::message &message) {
    std::string from = sentence("rank ", message.source, " of a communicator that has been freed");
    communicators->with(message.context, [&](const communicator &comm) {
        const group &peers = *comm.point_to_point.peers;
        const bool known = message.source >= 0 && message.source < peers.size();
        from = sentence("rank ", known ? peers.member(message.source) : message.source, " on ", comm.label());
    });
    return sentence("lisle: rank ", self.number(), ": MPI_Finalize: a message of ", message.bytes,
                    " bytes with tag ", message.tag, " from ", from, " was never received\n");
}

} // namespace

void report_unreceived(rank &self) {
    if (self.open == nullptr) {
        return;
    }
    bool any = true; // what has arrived may not have been looked at yet
    while (any) {
        any = false;
        self.tracks().each([&any](protocol::engine &each) { any = each.progress() || any; });
    }
    wait_note note{};
    self.tracks().each([&note](protocol::engine &each) { each.receives().list_unexpected(note); });
    std::string report;
    const auto listed = std::min(note.message_count, wait_note::most_messages);
    for (unsigned i = 0; i < listed; ++i) {
        if (communicator_directory::is_users(note.messages[i].context)) {
            report += line_about(self, note.messages[i]);
        }
    }
    if (note.message_count > listed) {
        report += sentence("lisle: rank ", self.number(), ": MPI_Finalize: ", note.message_count - listed,
                           " more messages were never received\n");
    }
    // One write, so that the reports of several ranks do not mix.
    std::fwrite(report.data(), 1, report.size(), stderr);
}

} // namespace lisle::abi
