// SPDX-License-Identifier: Apache-2.0
// One opened endpoint of a provider with its queue of completions and its table of addresses: libfabric's
// objects with owners, and its calls with one meaning for each answer. Knows nothing of ranks or frames.
// Thread-safety: none. Who uses it takes turns (network_fabric's lock).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>
#include <span>
#include <sys/uio.h>
#include <vector>

#include "fabric/ofi/provider.hpp"

namespace lisle::fabric::ofi {

struct close_object {
    template <class Object> void operator()(Object *object) const noexcept { fi_close(&object->fid); }
};
template <class Object> using owned = std::unique_ptr<Object, close_object>;

/// What libfabric hands back at the end of an operation. Room for the provider stands first, as it demands.
struct operation {
    enum class kind : std::uint8_t { receive, send, copy };
    fi_context2 provider_room{};
    kind what;

  protected:
    explicit operation(kind what) noexcept : what{what} {}
    ~operation() = default;
};

/// Memory that the endpoint may send from, receive to or let peers copy from and to.
class registration {
  public:
    registration() = default;
    explicit registration(fid_mr *object) noexcept : object_{object} {}
    /// What calls of the endpoint take beside the address; null where the provider does not care.
    [[nodiscard]] void *descriptor() const noexcept { return object_ ? fi_mr_desc(object_.get()) : nullptr; }
    [[nodiscard]] std::uint64_t key() const noexcept { return object_ ? fi_mr_key(object_.get()) : 0; }

  private:
    owned<fid_mr> object_;
};

enum class attempt : std::uint8_t {
    done,    ///< started (or, for inject, ended)
    full,    ///< no room now: poll, and try again
    refused, ///< the peer has failed, or the provider cannot do it
};

/// The end of one operation.
struct completion {
    operation *of;
    std::size_t bytes; ///< of a receive
    bool failed;
};

class device {
  public:
    /// Throws mpi_error (MPI_ERR_OTHER) with what the provider says if it cannot be opened.
    explicit device(provider chosen);

    /// Ends all that is under way without a word; afterwards only info() may be called.
    void close() noexcept;

    [[nodiscard]] const fi_info &info() const noexcept { return *info_; }
    [[nodiscard]] std::vector<std::byte> address() const;
    /// @return the peer's number for the calls below; FI_ADDR_NOTAVAIL if the provider does not take the
    /// address
    [[nodiscard]] fi_addr_t add_peer(std::span<const std::byte> address);
    /// The peer's machine is silent: makes the provider end, with errors, what it has of that machine. Where
    /// it does not use TCP it does so by itself.
    void give_up(fi_addr_t peer) noexcept;

    /// Memory for the endpoint's own sends and receives: registered only where the provider wants it.
    [[nodiscard]] registration register_local(std::span<std::byte> memory);
    /// Memory that peers may copy from and to; nothing if the provider refuses. @param key as asked for,
    /// unless the provider makes its own
    [[nodiscard]] fid_mr *register_for_peers(const void *memory, std::size_t bytes,
                                             std::uint64_t key) noexcept;
    /// True if remote addresses are those of the owner, not distances from the registered memory's beginning.
    [[nodiscard]] bool uses_addresses() const noexcept {
        return (info_->domain_attr->mr_mode & (FI_MR_VIRT_ADDR | 1)) != 0; // 1: FI_MR_BASIC of old providers
    }
    [[nodiscard]] bool makes_keys() const noexcept {
        return (info_->domain_attr->mr_mode & (FI_MR_PROV_KEY | 1)) != 0;
    }

    [[nodiscard]] attempt receive(std::span<std::byte> into, void *descriptor, operation &op) noexcept;
    [[nodiscard]] attempt send(std::span<const std::byte> bytes, void *descriptor, fi_addr_t to,
                               operation &op) noexcept;
    /// Sends at most info().tx_attr->inject_size bytes; they may go when the call returns.
    [[nodiscard]] attempt inject(std::span<const std::byte> bytes, fi_addr_t to) noexcept;
    /// Copies between own memory, in at most most_pieces() pieces, and one run of a peer's.
    [[nodiscard]] attempt read(std::span<const iovec> into, fi_addr_t from, std::uint64_t address,
                               std::uint64_t key, operation &op) noexcept;
    [[nodiscard]] attempt write(std::span<const iovec> data, fi_addr_t to, std::uint64_t address,
                                std::uint64_t key, operation &op) noexcept;
    /// 0: the provider copies only memory that has been registered for it on both sides.
    [[nodiscard]] std::size_t most_pieces() const noexcept;

    /// The operations that have ended since the last call, at most as many as there is room for.
    [[nodiscard]] std::size_t take_completions(std::span<completion> ended) noexcept;

    /// Becomes readable when an operation has ended; -1: the provider has none.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// True if the descriptor may be waited for; false: something has ended already.
    [[nodiscard]] bool may_wait() noexcept;

  private:
    [[nodiscard]] static attempt outcome(ssize_t status) noexcept;

    provider info_;
    owned<fid_fabric> fabric_;
    owned<fid_domain> domain_;
    owned<fid_av> addresses_;
    owned<fid_wait> wait_set_; ///< null: the queue has its own descriptor
    owned<fid_cq> completions_;
    owned<fid_ep> endpoint_;
    int descriptor_ = -1;
    std::uint64_t next_local_key_ = 1; ///< keys above all that peers are told, see memory.cpp
};

} // namespace lisle::fabric::ofi
