// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::protocol {

template <class Node> struct queue_of;

/// A node's place in one of matching/keyed_queues.hpp. `queue` is null while it is in none, for nodes that
/// care.
template <class Node> struct queue_link {
    Node *previous;
    Node *next;
    queue_of<Node> *queue;
};

} // namespace lisle::protocol
