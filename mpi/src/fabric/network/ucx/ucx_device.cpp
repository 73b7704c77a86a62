// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ucx/ucx_device.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "base/own_thread.hpp"
#include "fabric/network/ucx/in_ucx.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

constexpr ucp_tag_t frames = 0; ///< the tag of all messages

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

ucx_device::ucx_device(const std::string &interface, const tcp::socket_address &address)
    : device{traits_of(interface, address)}, api_{ucx::instance()} {
    const signals_blocked while_threads_begin;
    const auto check = [&](ucs_status_t status, const char *what) {
        if (status != UCS_OK) {
            fail(MPI_ERR_OTHER, "UCX on ", interface, " cannot open its ", what, ": ",
                 api_.status_string(status));
        }
    };
    ucp_config_t *read = nullptr;
    check(api_.config_read(nullptr, nullptr, &read), "configuration (variables UCX_...)");
    const std::unique_ptr<ucp_config_t, decltype(api_.config_release)> config{read, api_.config_release};
    check(api_.config_modify(config.get(), "NET_DEVICES", interface.c_str()), "interface");
    ucp_params_t wanted{};
    wanted.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
    wanted.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
    wanted.name = "lisle";
    ucp_context_h context = nullptr;
    check(api_.init_version(UCP_API_MAJOR, UCP_API_MINOR, &wanted, config.get(), &context), "context");
    context_.reset(context);
    exposed_ = std::make_unique<mapped_memory>(context);
    ucp_worker_params_t worker{};
    worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    ucp_worker_h made = nullptr;
    check(api_.worker_create(context, &worker, &made), "worker");
    worker_.reset(made);
    check(api_.worker_get_efd(made, &descriptor_), "descriptor of events");
    hear_of_keys();
}

// ---- peers ----

std::vector<std::byte> ucx_device::address() const {
    ucp_address_t *own = nullptr;
    std::size_t bytes = 0;
    if (const ucs_status_t status = api_.worker_get_address(worker_.get(), &own, &bytes); status != UCS_OK) {
        fail(MPI_ERR_OTHER, "UCX does not tell its address: ", api_.status_string(status));
    }
    const auto *const begin = reinterpret_cast<const std::byte *>(own);
    std::vector<std::byte> marked = bytes_of(address_mark);
    marked.insert(marked.end(), begin, begin + bytes);
    api_.worker_release_address(worker_.get(), own);
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
    if (api_.ep_create(worker_.get(), &wanted, &there.endpoint) != UCS_OK) {
        there.failed = true;
        there.endpoint = nullptr;
        return;
    }
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    how.cb.send = on_connected;
    how.user_data = &there;
    ucs_status_ptr_t const connecting = api_.ep_flush(there.endpoint, &how);
    there.failed = UCS_PTR_IS_ERR(connecting);
    there.connected = connecting == nullptr;
}

void ucx_device::on_connected(void *request, ucs_status_t status, void *to) {
    peer &there = *static_cast<peer *>(to);
    there.connected = status == UCS_OK;
    there.failed = there.failed || status != UCS_OK;
    there.of->note_moved();
    there.of->api_.request_free(request);
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
    ucs_status_ptr_t const closing = api_.ep_close(std::exchange(of.endpoint, nullptr), &at_once);
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
        api_.worker_progress(worker_.get());
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
        move_until([&] { return api_.request_check_status(each) != UCS_INPROGRESS; });
        api_.request_free(each);
    }
    closing_.clear();
    while (operation *const next = posted_) {
        api_.request_cancel(worker_.get(), in_ucx::of(*next).request);
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
    self.api_.request_free(request);
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
    self.api_.request_free(request);
}

attempt ucx_device::receive(std::span<std::byte> into, operation &op) noexcept {
    in_ucx &its = in_ucx::begin(op, *this);
    ucp_request_param_t how{};
    how.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    how.cb.recv = on_received;
    how.user_data = &op;
    ucs_status_ptr_t const posted =
        api_.tag_recv(worker_.get(), into.data(), into.size(), frames, ~ucp_tag_t{0}, &how);
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
        api_.tag_send(endpoint, bytes.data(), bytes.size() + end.size(), frames, &how);
    return started == nullptr ? attempt::ended : take_request(started, op, nullptr);
}

// ---- ends ----

std::size_t ucx_device::take_completions(std::span<completion> ended) noexcept {
    if (first_ended_ == nullptr && api_.worker_progress(worker_.get()) != 0) {
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
    if (api_.worker_progress(worker_.get()) != 0) {
        note_moved();
        return false;
    }
    return first_ended_ == nullptr && api_.worker_arm(worker_.get()) == UCS_OK;
}

} // namespace lisle::fabric::network
