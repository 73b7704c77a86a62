// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/early_messages.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include "protocol/message/operation.hpp"

namespace lisle::protocol {

namespace {
constexpr std::size_t most_found = 64; ///< that nobody has asked for
}

void early_messages::look(const type_note &note, const receive_operation &receive) {
    const std::string_view call{note.place, strnlen(note.place, sizeof note.place)};
    if (call.starts_with("MPI_Rsend") || call.starts_with("MPI_Irsend")) {
        const std::scoped_lock guard{mutex_};
        if (found_.size() < most_found) {
            found_.push_back({std::string{call}, receive.pattern.context, receive.result.source,
                              receive.result.tag, receive.posting});
        }
    }
}

std::vector<early_messages::message> early_messages::take() {
    const std::scoped_lock guard{mutex_};
    return std::exchange(found_, {});
}

} // namespace lisle::protocol
