// SPDX-License-Identifier: Apache-2.0
// Copies between own memory and a peer's, and the active messages by which keys to it are asked for.
#include "fabric/network/ucx/ucx_device.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "fabric/network/ucx/in_ucx.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

constexpr unsigned question_of_key = 1, answer_with_key = 2;

} // namespace

/// A question or an answer on its way, with what it is made of.
struct ucx_device::key_message {
    /// What stands in front.
    struct header {
        std::uint64_t asker; ///< the owner's number with who asks
        std::uint64_t key;
    };
    const ucx &api;
    header head;
    std::vector<std::byte> packed;
};

void ucx_device::hear_of_keys() {
    const auto hear = [this](unsigned id, ucp_am_recv_callback_t by) {
        ucp_am_handler_param_t handler{};
        handler.field_mask =
            UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
        handler.id = id;
        handler.cb = by;
        handler.arg = this;
        if (const ucs_status_t status = api_.worker_set_am_recv_handler(worker_.get(), &handler);
            status != UCS_OK) {
            fail(MPI_ERR_OTHER, "UCX has no active messages: ", api_.status_string(status));
        }
    };
    hear(question_of_key, on_question);
    hear(answer_with_key, on_answer);
}

std::optional<std::uint64_t> ucx_device::expose(const void *memory, std::size_t bytes,
                                                std::uint64_t /*wanted*/) noexcept {
    return exposed_->add(memory, bytes);
}

void ucx_device::withdraw(std::uint64_t key) noexcept {
    exposed_->withdraw(key);
}

std::optional<ucx_device::copy_target> ucx_device::find_target(std::span<const iovec> runs, peer_number owner,
                                                               std::uint64_t key,
                                                               attempt &otherwise) noexcept {
    ucp_ep_h const endpoint = endpoint_of(owner, otherwise);
    if (endpoint == nullptr) {
        return std::nullopt;
    }
    otherwise = attempt::refused;
    if (runs.size() > traits().most_pieces) {
        return std::nullopt;
    }
    remote_key *const known = keys_.find(owner, key);
    if (known != nullptr && known->is == remote_key::state::held) {
        return copy_target{endpoint, known};
    }
    if (known == nullptr) {
        otherwise = ask_for_key(endpoint, owner, key);
    } else if (known->is == remote_key::state::asked) {
        otherwise = attempt::full;
    }
    return std::nullopt;
}

attempt ucx_device::ask_for_key(ucp_ep_h endpoint, peer_number owner, std::uint64_t key) noexcept {
    std::unique_ptr<key_message> question;
    try {
        question = std::make_unique<key_message>(key_message{api_, {owner, key}, {}});
        keys_.note_asked(owner, key);
    } catch (const std::bad_alloc &) {
        return attempt::full;
    }
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_AM_SEND_FLAG_REPLY | UCP_AM_SEND_FLAG_EAGER;
    how.cb.send = on_message_sent;
    how.user_data = question.get();
    ucs_status_ptr_t const sent =
        api_.am_send(endpoint, question_of_key, &question->head, sizeof question->head, nullptr, 0, &how);
    if (UCS_PTR_IS_ERR(sent)) {
        keys_.forget(owner, key);
        return UCS_PTR_STATUS(sent) == UCS_ERR_NO_RESOURCE ? attempt::full : attempt::refused;
    }
    if (sent != nullptr) {
        static_cast<void>(question.release()); // on_message_sent() has it
    }
    return attempt::full;
}

void ucx_device::on_message_sent(void *request, ucs_status_t /*status*/, void *message) {
    const std::unique_ptr<key_message> sent{static_cast<key_message *>(message)};
    sent->api.request_free(request);
}

ucs_status_t ucx_device::on_question(void *self, const void *header, std::size_t header_bytes,
                                     void * /*data*/, std::size_t /*bytes*/,
                                     const ucp_am_recv_param_t *more) {
    ucx_device &own = *static_cast<ucx_device *>(self);
    if (header_bytes != sizeof(key_message::header) ||
        (more->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) == 0) {
        static_cast<void>(own.drops().add());
        return UCS_OK;
    }
    try {
        auto answer = std::make_unique<key_message>(key_message{own.api_, {}, {}});
        std::memcpy(&answer->head, header, sizeof answer->head);
        const std::span<const std::byte> packed = own.exposed_->packed(answer->head.key);
        answer->packed.assign(packed.begin(), packed.end());
        ucp_request_param_t how{};
        how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
        how.flags = UCP_AM_SEND_FLAG_EAGER;
        how.cb.send = on_message_sent;
        how.user_data = answer.get();
        ucs_status_ptr_t const sent =
            own.api_.am_send(more->reply_ep, answer_with_key, &answer->head, sizeof answer->head,
                             answer->packed.data(), answer->packed.size(), &how);
        if (UCS_PTR_IS_PTR(sent)) {
            static_cast<void>(answer.release()); // on_message_sent() has it
        }
    } catch (const std::bad_alloc &) {
        return UCS_ERR_NO_MEMORY;
    }
    return UCS_OK;
}

ucs_status_t ucx_device::on_answer(void *self, const void *header, std::size_t header_bytes, void *data,
                                   std::size_t bytes, const ucp_am_recv_param_t * /*more*/) {
    ucx_device &own = *static_cast<ucx_device *>(self);
    key_message::header head{};
    if (header_bytes == sizeof head) {
        std::memcpy(&head, header, sizeof head);
    }
    remote_key *const asked = own.keys_.find(head.asker, head.key);
    if (asked == nullptr || asked->is != remote_key::state::asked || head.asker >= own.peers_.size()) {
        static_cast<void>(own.drops().add());
        return UCS_OK;
    }
    own.note_moved(); // a copy may begin
    asked->is = remote_key::state::refused;
    ucp_ep_h const owner = own.peers_[head.asker]->endpoint;
    ucp_rkey_h key = nullptr;
    if (bytes != 0 && owner != nullptr && own.api_.rkey_unpack(owner, data, &key) == UCS_OK) {
        asked->handle.reset(key);
        asked->is = remote_key::state::held;
    }
    return UCS_OK;
}

attempt ucx_device::read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                         std::uint64_t key, operation &op) noexcept {
    return copy(into, from, address, key, op, api_.get);
}

attempt ucx_device::write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                          std::uint64_t key, operation &op) noexcept {
    return copy(data, to, address, key, op, api_.put);
}

template <class Move> attempt ucx_device::copy(std::span<const iovec> runs, peer_number owner,
                                               std::uint64_t address, std::uint64_t key, operation &op,
                                               Move move) noexcept {
    attempt otherwise{};
    const auto target = find_target(runs, owner, key, otherwise);
    if (!target) {
        return otherwise;
    }
    in_ucx &its = in_ucx::begin(op, *this);
    const ucp_request_param_t plain{};
    std::size_t begun = 0;
    for (const iovec &run : runs) {
        ucs_status_ptr_t const moving = move(target->endpoint, run.iov_base, run.iov_len, address + begun,
                                             target->key->handle.get(), &plain);
        if (UCS_PTR_IS_ERR(moving) && begun == 0) {
            return UCS_PTR_STATUS(moving) == UCS_ERR_NO_RESOURCE ? attempt::full : attempt::refused;
        }
        if (UCS_PTR_IS_ERR(moving)) {
            its.failed = true; // as a whole, when what has begun has ended
            break;
        }
        if (moving != nullptr) {
            api_.request_free(moving); // it goes on, and the flush ends behind it
        }
        begun += run.iov_len;
    }
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    how.cb.send = on_sent;
    how.user_data = &op;
    if (take_request(api_.ep_flush(target->endpoint, &how), op, target->key) != attempt::done) {
        peers_[owner]->failed = true; // nobody will know when what has begun ends
        note_end(op, 0, UCS_ERR_IO_ERROR);
    }
    return attempt::done;
}

} // namespace lisle::fabric::network
