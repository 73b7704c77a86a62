// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ucx/ucx_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "base/own_thread.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

constexpr ucp_tag_t frames = 0; ///< the tag of all messages
constexpr unsigned question_of_key = 1, answer_with_key = 2;

/// What stands in front of UCX's own address.
constexpr std::string_view address_mark = "lisle ucx 1";

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span{text});
    return {bytes.begin(), bytes.end()};
}

/// How long what is given up may take to end.
constexpr std::chrono::seconds longest_end{1};

device_traits traits_of(const std::string &interface, const tcp::socket_address &address) {
    constexpr sockaddr_in any{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {INADDR_ANY}, .sin_zero = {}};
    const tcp::socket_address pulses =
        address.exists() ? address
                         : tcp::socket_address{reinterpret_cast<const sockaddr *>(&any), sizeof any};
    return {.provider = std::string{over_ucx},
            .interface = interface,
            .pulse_interface = pulses,
            .own_address = pulses,
            // Over TCP UCX plays get and put by messages of a few kilobytes, which takes longer than ours do.
            .most_pieces = address.exists() ? std::size_t{0} : std::size_t{8},
            .takes_keys = false,
            .delivers_in_order = false, // long messages end after shorter ones that were sent later
            .copy_bytes = std::size_t{1} << 20,
            .copies_at_a_time = 4};
}

} // namespace

struct ucx_device::in_ucx {
    ucx_device *self;
    void *request;   ///< null: the operation has ended
    operation *next; ///< in one of the device's lists
    operation *before;
    remote_key *key;
    std::size_t bytes;
    bool failed;

    static in_ucx &of(operation &op) noexcept {
        static_assert(sizeof(in_ucx) <= sizeof op.provider_room && std::is_trivially_copyable_v<in_ucx>);
        return *std::launder(reinterpret_cast<in_ucx *>(op.provider_room.data()));
    }
    static in_ucx &begin(operation &op, ucx_device &self) noexcept {
        return *new (op.provider_room.data()) in_ucx{&self, nullptr, nullptr, nullptr, nullptr, 0, false};
    }
};

/// A question or an answer on its way, with what it is made of.
struct ucx_device::key_message {
    /// What stands in front.
    struct header {
        std::uint64_t asker; ///< the owner's number with who asks
        std::uint64_t key;
    };
    const ucx &library;
    header head;
    std::vector<std::byte> packed;
};

ucx_device::ucx_device(const std::string &interface, const tcp::socket_address &address)
    : device{traits_of(interface, address)}, library_{ucx::instance()} {
    const signals_blocked while_threads_begin;
    const auto check = [&](ucs_status_t status, const char *what) {
        if (status != UCS_OK) {
            fail(MPI_ERR_OTHER, "UCX on ", interface, " cannot open its ", what, ": ",
                 library_.status_string(status));
        }
    };
    ucp_config_t *read = nullptr;
    check(library_.config_read(nullptr, nullptr, &read), "configuration (variables UCX_...)");
    const std::unique_ptr<ucp_config_t, decltype(library_.config_release)> config{read,
                                                                                  library_.config_release};
    check(library_.config_modify(config.get(), "NET_DEVICES", interface.c_str()), "interface");
    ucp_params_t wanted{};
    wanted.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
    wanted.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
    wanted.name = "lisle";
    ucp_context_h context = nullptr;
    check(library_.init_version(UCP_API_MAJOR, UCP_API_MINOR, &wanted, config.get(), &context), "context");
    context_.reset(context);
    exposed_ = std::make_unique<mapped_memory>(context);
    ucp_worker_params_t worker{};
    worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    ucp_worker_h made = nullptr;
    check(library_.worker_create(context, &worker, &made), "worker");
    worker_.reset(made);
    check(library_.worker_get_efd(made, &descriptor_), "descriptor of events");
    hear_of_keys();
}

void ucx_device::hear_of_keys() {
    const auto hear = [this](unsigned id, ucp_am_recv_callback_t by) {
        ucp_am_handler_param_t handler{};
        handler.field_mask =
            UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
        handler.id = id;
        handler.cb = by;
        handler.arg = this;
        if (const ucs_status_t status = library_.worker_set_am_recv_handler(worker_.get(), &handler);
            status != UCS_OK) {
            fail(MPI_ERR_OTHER, "UCX has no active messages: ", library_.status_string(status));
        }
    };
    hear(question_of_key, on_question);
    hear(answer_with_key, on_answer);
}

// ---- peers ----

std::vector<std::byte> ucx_device::address() const {
    ucp_address_t *own = nullptr;
    std::size_t bytes = 0;
    if (const ucs_status_t status = library_.worker_get_address(worker_.get(), &own, &bytes);
        status != UCS_OK) {
        fail(MPI_ERR_OTHER, "UCX does not tell its address: ", library_.status_string(status));
    }
    const auto *const begin = reinterpret_cast<const std::byte *>(own);
    std::vector<std::byte> marked = bytes_of(address_mark);
    marked.insert(marked.end(), begin, begin + bytes);
    library_.worker_release_address(worker_.get(), own);
    return marked;
}

peer_number ucx_device::add_peer(std::span<const std::byte> address) {
    const std::vector<std::byte> mark = bytes_of(address_mark);
    if (address.size() <= mark.size() || !std::ranges::equal(address.first(mark.size()), mark)) {
        return no_peer; // another device's: UCX would end the process
    }
    address = address.subspan(mark.size());
    peers_.push_back(std::make_unique<peer>(peer{.of = this, .address = {address.begin(), address.end()}}));
    closing_.reserve(peers_.size()); // for the end
    return peers_.size() - 1;
}

// UCX takes messages before their endpoint is connected, and connects it while somebody calls: it gets none
// before, so that who sends knows whether it may stop calling.
ucp_ep_h ucx_device::endpoint_of(peer_number to, attempt &otherwise) noexcept {
    peer &there = *peers_[to];
    if (there.endpoint == nullptr && !there.failed) {
        connect(there);
    }
    otherwise = there.failed ? attempt::refused : attempt::full;
    return there.failed || !there.connected ? nullptr : there.endpoint;
}

void ucx_device::connect(peer &there) noexcept {
    ucp_ep_params_t wanted{};
    wanted.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                        UCP_EP_PARAM_FIELD_ERR_HANDLER;
    wanted.address = reinterpret_cast<const ucp_address_t *>(there.address.data());
    wanted.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    wanted.err_handler = {on_failure, &there};
    if (library_.ep_create(worker_.get(), &wanted, &there.endpoint) != UCS_OK) {
        there.failed = true;
        there.endpoint = nullptr;
        return;
    }
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    how.cb.send = on_connected;
    how.user_data = &there;
    ucs_status_ptr_t const connecting = library_.ep_flush(there.endpoint, &how);
    there.failed = UCS_PTR_IS_ERR(connecting);
    there.connected = connecting == nullptr;
}

void ucx_device::on_connected(void *request, ucs_status_t status, void *to) {
    peer &there = *static_cast<peer *>(to);
    there.connected = status == UCS_OK;
    there.failed = there.failed || status != UCS_OK;
    there.of->note_moved();
    there.of->library_.request_free(request);
}

void ucx_device::on_failure(void *of, ucp_ep_h /*endpoint*/, ucs_status_t /*status*/) {
    static_cast<peer *>(of)->failed = true;
}

void ucx_device::close_endpoint(peer &of) noexcept {
    of.failed = true;
    if (of.endpoint == nullptr) {
        return;
    }
    ucp_request_param_t at_once{};
    at_once.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    at_once.flags = UCP_EP_CLOSE_FLAG_FORCE;
    ucs_status_ptr_t const closing = library_.ep_close(std::exchange(of.endpoint, nullptr), &at_once);
    if (UCS_PTR_IS_PTR(closing)) {
        closing_.push_back(closing); // there is room, see add_peer()
    }
}

void ucx_device::give_up(peer_number peer) noexcept {
    close_endpoint(*peers_[peer]);
}

template <class Done> void ucx_device::move_until(Done done) noexcept {
    const auto limit = std::chrono::steady_clock::now() + longest_end;
    while (!done() && std::chrono::steady_clock::now() < limit) {
        library_.worker_progress(worker_.get());
    }
}

void ucx_device::close() noexcept {
    if (worker_ == nullptr) {
        return;
    }
    keys_.clear();
    for (const auto &each : peers_) {
        close_endpoint(*each);
    }
    for (void *const each : closing_) {
        move_until([&] { return library_.request_check_status(each) != UCS_INPROGRESS; });
        library_.request_free(each);
    }
    closing_.clear();
    while (operation *const next = posted_) {
        library_.request_cancel(worker_.get(), in_ucx::of(*next).request);
        move_until([&] { return posted_ != next; });
        if (posted_ == next) { // half of it is here, and the other half will not come
            break;
        }
    }
    posted_ = nullptr;
    first_ended_ = last_ended_ = nullptr;
    exposed_->withdraw_all();
    worker_.reset();
    context_.reset();
    descriptor_ = -1;
}

// ---- messages ----

void ucx_device::note_end(operation &op, std::size_t bytes, ucs_status_t status) noexcept {
    in_ucx &its = in_ucx::of(op);
    its.request = nullptr;
    its.bytes = bytes;
    its.failed = its.failed || status != UCS_OK;
    if (its.key != nullptr) {
        --its.key->uses;
        its.key = nullptr;
    }
    its.next = nullptr;
    (last_ended_ != nullptr ? in_ucx::of(*last_ended_).next : first_ended_) = &op;
    last_ended_ = &op;
}

void ucx_device::on_sent(void *request, ucs_status_t status, void *op) {
    operation &of = *static_cast<operation *>(op);
    ucx_device &self = *in_ucx::of(of).self;
    self.note_end(of, 0, status);
    self.library_.request_free(request);
}

void ucx_device::on_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *op) {
    operation &of = *static_cast<operation *>(op);
    in_ucx &its = in_ucx::of(of);
    ucx_device &self = *its.self;
    if (its.request != nullptr) {
        (its.before != nullptr ? in_ucx::of(*its.before).next : self.posted_) = its.next;
        if (its.next != nullptr) {
            in_ucx::of(*its.next).before = its.before;
        }
    }
    self.note_end(of, status == UCS_OK ? info->length : 0, status);
    self.library_.request_free(request);
}

attempt ucx_device::receive(std::span<std::byte> into, operation &op) noexcept {
    in_ucx &its = in_ucx::begin(op, *this);
    ucp_request_param_t how{};
    how.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    how.cb.recv = on_received;
    how.user_data = &op;
    ucs_status_ptr_t const posted =
        library_.tag_recv(worker_.get(), into.data(), into.size(), frames, ~ucp_tag_t{0}, &how);
    if (UCS_PTR_IS_ERR(posted)) {
        return attempt::refused;
    }
    if (last_ended_ == &op) {
        return attempt::done; // a message was there already
    }
    its.request = posted;
    its.next = posted_;
    if (posted_ != nullptr) {
        in_ucx::of(*posted_).before = &op;
    }
    posted_ = &op;
    return attempt::done;
}

attempt ucx_device::take_request(ucs_status_ptr_t started, operation &op, remote_key *key) noexcept {
    if (UCS_PTR_IS_ERR(started)) {
        return UCS_PTR_STATUS(started) == UCS_ERR_NO_RESOURCE ? attempt::full : attempt::refused;
    }
    if (key != nullptr) {
        ++key->uses;
        in_ucx::of(op).key = key;
    }
    if (started == nullptr) {
        note_end(op, 0, UCS_OK);
    }
    return attempt::done;
}

attempt ucx_device::send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                         operation &op) noexcept {
    attempt otherwise{};
    ucp_ep_h const endpoint = endpoint_of(to, otherwise);
    if (endpoint == nullptr) {
        return otherwise;
    }
    copy_bytes(bytes.data() + bytes.size(), end.data(), end.size());
    in_ucx::begin(op, *this);
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    how.cb.send = on_sent;
    how.user_data = &op;
    ucs_status_ptr_t const started =
        library_.tag_send(endpoint, bytes.data(), bytes.size() + end.size(), frames, &how);
    return started == nullptr ? attempt::ended : take_request(started, op, nullptr);
}

// ---- copies ----

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
        question = std::make_unique<key_message>(key_message{library_, {owner, key}, {}});
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
        library_.am_send(endpoint, question_of_key, &question->head, sizeof question->head, nullptr, 0, &how);
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
    sent->library.request_free(request);
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
        auto answer = std::make_unique<key_message>(key_message{own.library_, {}, {}});
        std::memcpy(&answer->head, header, sizeof answer->head);
        const std::span<const std::byte> packed = own.exposed_->packed(answer->head.key);
        answer->packed.assign(packed.begin(), packed.end());
        ucp_request_param_t how{};
        how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
        how.flags = UCP_AM_SEND_FLAG_EAGER;
        how.cb.send = on_message_sent;
        how.user_data = answer.get();
        ucs_status_ptr_t const sent =
            own.library_.am_send(more->reply_ep, answer_with_key, &answer->head, sizeof answer->head,
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
    if (bytes != 0 && owner != nullptr && own.library_.rkey_unpack(owner, data, &key) == UCS_OK) {
        asked->handle.reset(key);
        asked->is = remote_key::state::held;
    }
    return UCS_OK;
}

attempt ucx_device::read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                         std::uint64_t key, operation &op) noexcept {
    return copy(into, from, key, op,
                [this, address](const copy_target &target, const iovec &run, std::size_t at) {
                    const ucp_request_param_t plain{};
                    return library_.get(target.endpoint, run.iov_base, run.iov_len, address + at,
                                        target.key->handle.get(), &plain);
                });
}

attempt ucx_device::write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                          std::uint64_t key, operation &op) noexcept {
    return copy(data, to, key, op,
                [this, address](const copy_target &target, const iovec &run, std::size_t at) {
                    const ucp_request_param_t plain{};
                    return library_.put(target.endpoint, run.iov_base, run.iov_len, address + at,
                                        target.key->handle.get(), &plain);
                });
}

template <class Move> attempt ucx_device::copy(std::span<const iovec> runs, peer_number owner,
                                               std::uint64_t key, operation &op, Move move) noexcept {
    attempt otherwise{};
    const auto target = find_target(runs, owner, key, otherwise);
    if (!target) {
        return otherwise;
    }
    in_ucx &its = in_ucx::begin(op, *this);
    std::size_t begun = 0;
    for (const iovec &run : runs) {
        ucs_status_ptr_t const moving = move(*target, run, begun);
        if (UCS_PTR_IS_ERR(moving) && begun == 0) {
            return UCS_PTR_STATUS(moving) == UCS_ERR_NO_RESOURCE ? attempt::full : attempt::refused;
        }
        if (UCS_PTR_IS_ERR(moving)) {
            its.failed = true; // as a whole, when what has begun has ended
            break;
        }
        if (moving != nullptr) {
            library_.request_free(moving); // it goes on, and the flush ends behind it
        }
        begun += run.iov_len;
    }
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    how.cb.send = on_sent;
    how.user_data = &op;
    if (take_request(library_.ep_flush(target->endpoint, &how), op, target->key) != attempt::done) {
        peers_[owner]->failed = true; // nobody will know when what has begun ends
        note_end(op, 0, UCS_ERR_IO_ERROR);
    }
    return attempt::done;
}

// ---- ends ----

std::size_t ucx_device::take_completions(std::span<completion> ended) noexcept {
    if (first_ended_ == nullptr && library_.worker_progress(worker_.get()) != 0) {
        note_moved();
    }
    std::size_t count = 0;
    for (; count != ended.size() && first_ended_ != nullptr; ++count) {
        operation &op = *first_ended_;
        const in_ucx its = in_ucx::of(op);
        first_ended_ = its.next;
        last_ended_ = first_ended_ != nullptr ? last_ended_ : nullptr;
        ended[count] = {&op, its.bytes, its.failed};
    }
    return count;
}

bool ucx_device::may_wait() noexcept {
    if (first_ended_ != nullptr) {
        return false;
    }
    // An interface that no endpoint uses yet tells of the next event only after a look that found none.
    if (library_.worker_progress(worker_.get()) != 0) {
        note_moved();
        return false;
    }
    return first_ended_ == nullptr && library_.worker_arm(worker_.get()) == UCS_OK;
}

} // namespace lisle::fabric::network
