// SPDX-License-Identifier: Apache-2.0
// Compares the elements of strict messages (datatype::strict()) with what their receives take, where there is
// no observer that compares all messages.
#pragma once

#include "protocol/message/operation.hpp"

namespace lisle {
class rank;
}

namespace lisle::protocol {

/// Notes an error in a receive that has its data, for sentence_about_types().
[[gnu::cold, gnu::noinline]] void refuse_strict(rank &receiver, receive_operation &receive, basic_type sent);

/// The same if the receive is strict, too, and takes other elements than the message has.
inline void compare_strict(rank &receiver, receive_operation &receive, basic_type sent) {
    if (!receive.buffer.type->mark().takes({sent, true})) [[unlikely]] {
        refuse_strict(receiver, receive, sent);
    }
}

} // namespace lisle::protocol
