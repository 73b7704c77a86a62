// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ofi/libfabric_device.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <rdma/fi_errno.h>
#include <string_view>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "fabric/network/ofi/severing.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

constexpr std::size_t completion_room = 4096;
constexpr std::size_t pieces_room = 8; ///< as many pieces of a copy as providers commonly take
/// Modes of memory, with FI_MR_BASIC of old providers, which is several of them.
constexpr int basic = 1;

/// The address of the provider's interface, where it has one that TCP can use.
tcp::socket_address interface_of(const fi_info &info) noexcept {
    if (info.src_addr != nullptr &&
        (info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6)) {
        return {static_cast<const sockaddr *>(info.src_addr), info.src_addrlen};
    }
    constexpr sockaddr_in any{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {INADDR_ANY}, .sin_zero = {}};
    return {reinterpret_cast<const sockaddr *>(&any), sizeof any};
}

device_traits traits_of(const fi_info &info) {
    const int modes = info.domain_attr->mr_mode;
    const bool registered_only = (modes & (FI_MR_LOCAL | basic)) != 0;
    return {.provider = info.fabric_attr->prov_name,
            .interface = info.domain_attr->name,
            .pulse_interface = interface_of(info),
            .own_address = interface_of(info),
            .inject_bytes = info.tx_attr->inject_size,
            .most_pieces = registered_only ? 0 : std::min(pieces_room, info.tx_attr->iov_limit),
            .uses_addresses = (modes & (FI_MR_VIRT_ADDR | basic)) != 0,
            .takes_keys = (modes & (FI_MR_PROV_KEY | basic)) == 0 &&
                          info.domain_attr->mr_key_size >= sizeof(std::uint64_t),
            .delivers_in_order = false}; // they are matched in order: few providers promise more
}

/// Whether peers are connected over TCP as soon as one sends. Such a provider loses what it has taken when
/// both send first at once: the connection that is made first is closed for the other one, without a word. So
/// messages leave from one endpoint and arrive at another, and no two connections are for the same pair.
bool connects_by_tcp(const fi_info &info) noexcept {
    const std::string_view name = info.fabric_attr->prov_name;
    return name == "net" || name.starts_with("tcp");
}

} // namespace

libfabric_device::libfabric_device(provider chosen) : device{traits_of(*chosen)}, info_{std::move(chosen)} {
    // Callers take turns, so the provider need not lock.
    info_->domain_attr->threading = FI_THREAD_DOMAIN;
    const auto open = [&](auto &into, const char *what, auto opener) {
        typename std::remove_reference_t<decltype(into)>::pointer opened = nullptr;
        check(opener(&opened), what);
        into.reset(opened);
    };
    open(fabric_, "fabric",
         [&](auto **at) { return libfabric::instance().fabric(info_->fabric_attr, at, nullptr); });
    open(domain_, "domain", [&](auto **at) { return fi_domain(fabric_.get(), info_.get(), at, nullptr); });
    fi_av_attr addresses{};
    addresses.type = FI_AV_TABLE;
    open(addresses_, "address table",
         [&](auto **at) { return fi_av_open(domain_.get(), &addresses, at, nullptr); });
    fi_cq_attr queue{};
    queue.size = completion_room;
    queue.format = FI_CQ_FORMAT_MSG;
    queue.wait_obj = FI_WAIT_FD;
    if (info_->fabric_attr->prov_name == std::string_view{"net"}) {
        // Its fi_trywait() does nothing: a descriptor that has become readable would stay so. That of a wait
        // set is reset by fi_wait().
        fi_wait_attr attributes{};
        attributes.wait_obj = FI_WAIT_FD;
        open(wait_set_, "wait set", [&](auto **at) { return fi_wait_open(fabric_.get(), &attributes, at); });
        queue.wait_obj = FI_WAIT_SET;
        queue.wait_set = wait_set_.get();
    }
    fid_cq *opened = nullptr;
    if (fi_cq_open(domain_.get(), &queue, &opened, nullptr) != 0) {
        queue.wait_obj = FI_WAIT_NONE; // a provider that can only be polled
        check(fi_cq_open(domain_.get(), &queue, &opened, nullptr), "queue of completions");
    } else if (fi_control(wait_set_ != nullptr ? &wait_set_->fid : &opened->fid, FI_GETWAIT, &descriptor_) !=
               0) {
        descriptor_ = -1;
    }
    completions_.reset(opened);
    endpoint_ = open_endpoint();
    if (connects_by_tcp(*info_)) {
        sending_ = open_endpoint();
    }
}

void libfabric_device::check(int status, const char *what) const {
    if (status != 0) {
        fail(MPI_ERR_OTHER, "the network provider ", info_->fabric_attr->prov_name, " on ",
             info_->domain_attr->name, " cannot open its ", what, ": ",
             libfabric::instance().strerror(-status));
    }
}

owned<fid_ep> libfabric_device::open_endpoint() {
    fid_ep *opened = nullptr;
    check(fi_endpoint(domain_.get(), info_.get(), &opened, nullptr), "endpoint");
    owned<fid_ep> made{opened};
    check(fi_ep_bind(opened, &addresses_->fid, 0), "endpoint's address table");
    check(fi_ep_bind(opened, &completions_->fid, FI_SEND | FI_RECV), "endpoint's queue of completions");
    check(fi_enable(opened), "endpoint");
    return made;
}

void libfabric_device::close() noexcept {
    exposed_.clear();
    own_memory_.clear();
    sending_.reset();
    endpoint_.reset();
    completions_.reset();
    wait_set_.reset();
    addresses_.reset();
    domain_.reset();
    fabric_.reset();
    descriptor_ = -1;
}

std::vector<std::byte> libfabric_device::address() const {
    std::vector<std::byte> own(256);
    std::size_t length = own.size();
    const int status = fi_getname(&endpoint_->fid, own.data(), &length);
    if (status != 0 || length > own.size()) {
        fail(MPI_ERR_OTHER, "the network provider ", info_->fabric_attr->prov_name,
             " does not tell its address: ", libfabric::instance().strerror(-status));
    }
    own.resize(length);
    return own;
}

peer_number libfabric_device::add_peer(std::span<const std::byte> address) {
    fi_addr_t added = FI_ADDR_NOTAVAIL;
    const int count = fi_av_insert(addresses_.get(), address.data(), 1, &added, 0, nullptr);
    return count == 1 ? added : no_peer;
}

void libfabric_device::give_up(peer_number peer) noexcept {
    std::array<std::byte, sizeof(sockaddr_storage)> own{}, theirs{};
    std::size_t length = own.size(), their_length = theirs.size();
    const bool over_ip = info_->addr_format == FI_SOCKADDR_IN || info_->addr_format == FI_SOCKADDR_IN6;
    if (over_ip && fi_getname(&endpoint_->fid, own.data(), &length) == 0 &&
        fi_av_lookup(addresses_.get(), peer, theirs.data(), &their_length) == 0) {
        sever_connections(tcp::socket_address{own}, tcp::socket_address{theirs});
    }
}

void libfabric_device::use_memory(std::span<std::byte> memory) {
    if ((info_->domain_attr->mr_mode & (FI_MR_LOCAL | basic)) == 0) {
        return;
    }
    fid_mr *made = nullptr;
    const std::uint64_t key = ~next_local_key_++;
    const int status =
        fi_mr_reg(domain_.get(), memory.data(), memory.size(), FI_SEND | FI_RECV, 0, key, 0, &made, nullptr);
    if (status != 0) {
        fail(MPI_ERR_NO_MEM, "the network provider ", info_->fabric_attr->prov_name, " does not register ",
             memory.size(), " bytes for messages: ", libfabric::instance().strerror(-status));
    }
    own_memory_.push_back({memory, owned<fid_mr>{made}});
}

void *libfabric_device::descriptor_of(const void *memory) const noexcept {
    const auto *const at = static_cast<const std::byte *>(memory);
    const auto found = std::ranges::find_if(own_memory_, [at](const own_memory &each) {
        return at >= each.memory.data() && at < each.memory.data() + each.memory.size();
    });
    return found == own_memory_.end() ? nullptr : fi_mr_desc(found->registered.get());
}

std::optional<std::uint64_t> libfabric_device::expose(const void *memory, std::size_t bytes,
                                                      std::uint64_t wanted) noexcept {
    fid_mr *made = nullptr;
    const int status =
        fi_mr_reg(domain_.get(), memory, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE, 0,
                  wanted, 0, &made, nullptr);
    if (status != 0) {
        return std::nullopt;
    }
    owned<fid_mr> registered{made};
    const std::uint64_t key = fi_mr_key(made);
    try {
        exposed_.insert_or_assign(key, std::move(registered));
    } catch (const std::bad_alloc &) {
        return std::nullopt;
    }
    return key;
}

void libfabric_device::withdraw(std::uint64_t key) noexcept {
    exposed_.erase(key);
}

attempt libfabric_device::outcome(ssize_t status) noexcept {
    if (status == 0) {
        return attempt::done;
    }
    return status == -FI_EAGAIN ? attempt::full : attempt::refused;
}

attempt libfabric_device::receive(std::span<std::byte> into, operation &op) noexcept {
    return outcome(fi_recv(endpoint_.get(), into.data(), into.size(), descriptor_of(into.data()),
                           FI_ADDR_UNSPEC, &op.provider_room));
}

attempt libfabric_device::send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                               operation &op) noexcept {
    copy_bytes(bytes.data() + bytes.size(), end.data(), end.size());
    return outcome(fi_send(sender(), bytes.data(), bytes.size() + end.size(), descriptor_of(bytes.data()), to,
                           &op.provider_room));
}

attempt libfabric_device::inject(std::span<const std::byte> bytes, peer_number to) noexcept {
    return outcome(fi_inject(sender(), bytes.data(), bytes.size(), to));
}

attempt libfabric_device::read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                               std::uint64_t key, operation &op) noexcept {
    std::array<void *, pieces_room> none{};
    if (into.size() > traits().most_pieces) {
        return attempt::refused;
    }
    return outcome(
        fi_readv(sender(), into.data(), none.data(), into.size(), from, address, key, &op.provider_room));
}

attempt libfabric_device::write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                                std::uint64_t key, operation &op) noexcept {
    std::array<void *, pieces_room> none{};
    if (data.size() > traits().most_pieces) {
        return attempt::refused;
    }
    std::size_t bytes = 0;
    for (const iovec &piece : data) {
        bytes += piece.iov_len;
    }
    const fi_rma_iov target{address, bytes, key};
    fi_msg_rma message{};
    message.msg_iov = data.data();
    message.desc = none.data();
    message.iov_count = data.size();
    message.addr = to;
    message.rma_iov = &target;
    message.rma_iov_count = 1;
    message.context = &op.provider_room;
    // Ended means: the bytes are there, not only on their way.
    return outcome(fi_writemsg(sender(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE));
}

std::size_t libfabric_device::take_completions(std::span<completion> ended) noexcept {
    std::array<fi_cq_msg_entry, 16> entries{};
    const std::size_t room = std::min(ended.size(), entries.size());
    const ssize_t count = fi_cq_read(completions_.get(), entries.data(), room);
    if (count > 0) {
        for (ssize_t at = 0; at != count; ++at) {
            const fi_cq_msg_entry &entry = entries[static_cast<std::size_t>(at)];
            ended[static_cast<std::size_t>(at)] = {static_cast<operation *>(entry.op_context), entry.len,
                                                   false};
        }
        return static_cast<std::size_t>(count);
    }
    if (count != -FI_EAVAIL) {
        return 0;
    }
    fi_cq_err_entry error{};
    if (fi_cq_readerr(completions_.get(), &error, 0) != 1 || error.op_context == nullptr) {
        return 0;
    }
    ended[0] = {static_cast<operation *>(error.op_context), 0, true};
    return 1;
}

bool libfabric_device::may_wait() noexcept {
    if (wait_set_ != nullptr) {
        return descriptor_ >= 0 && fi_wait(wait_set_.get(), 0) == -FI_ETIMEDOUT;
    }
    fid *waited = &completions_->fid;
    return descriptor_ >= 0 && fi_trywait(fabric_.get(), &waited, 1) == 0;
}

} // namespace lisle::fabric::network
