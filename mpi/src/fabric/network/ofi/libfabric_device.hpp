// SPDX-License-Identifier: Apache-2.0
// One opened endpoint of a libfabric provider with its queue of completions and its table of addresses:
// libfabric's objects with owners, and its calls with one meaning for each answer.
#pragma once

#include <memory>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>
#include <unordered_map>

#include "fabric/network/device/device.hpp"
#include "fabric/network/ofi/libfabric.hpp"

namespace lisle::fabric::network {

struct close_object {
    template <class Object> void operator()(Object *object) const noexcept { fi_close(&object->fid); }
};
template <class Object> using owned = std::unique_ptr<Object, close_object>;

static_assert(sizeof(operation::provider_room) >= sizeof(fi_context2));

class libfabric_device final : public device {
  public:
    /// Throws mpi_error (MPI_ERR_OTHER) with what the provider says if it cannot be opened.
    explicit libfabric_device(provider chosen);

    void close() noexcept override;
    [[nodiscard]] std::vector<std::byte> address() const override;
    [[nodiscard]] peer_number add_peer(std::span<const std::byte> address) override;
    /// Providers that do not use TCP give up by themselves.
    void give_up(peer_number peer) noexcept override;
    void use_memory(std::span<std::byte> memory) override;
    [[nodiscard]] std::optional<std::uint64_t> expose(const void *memory, std::size_t bytes,
                                                      std::uint64_t wanted) noexcept override;
    void withdraw(std::uint64_t key) noexcept override;
    [[nodiscard]] attempt receive(std::span<std::byte> into, operation &op) noexcept override;
    [[nodiscard]] attempt send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                               operation &op) noexcept override;
    [[nodiscard]] attempt inject(std::span<const std::byte> bytes, peer_number to) noexcept override;
    [[nodiscard]] attempt read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                               std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] attempt write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                                std::uint64_t key, operation &op) noexcept override;
    [[nodiscard]] std::size_t take_completions(std::span<completion> ended) noexcept override;
    [[nodiscard]] int descriptor() const noexcept override { return descriptor_; }
    [[nodiscard]] bool may_wait() noexcept override;

  private:
    /// An endpoint that is ready, with the table of addresses and the queue of completions.
    [[nodiscard]] owned<fid_ep> open_endpoint();
    [[nodiscard]] static attempt outcome(ssize_t status) noexcept;
    void check(int status, const char *what) const;
    /// The endpoint that messages and copies start from.
    [[nodiscard]] fid_ep *sender() const noexcept { return sending_ ? sending_.get() : endpoint_.get(); }
    /// What calls of the endpoint take beside the address; null where the provider does not care.
    [[nodiscard]] void *descriptor_of(const void *memory) const noexcept;

    struct own_memory {
        std::span<const std::byte> memory;
        owned<fid_mr> registered;
    };

    provider info_;
    owned<fid_fabric> fabric_;
    owned<fid_domain> domain_;
    owned<fid_av> addresses_;
    owned<fid_wait> wait_set_; ///< null: the queue has its own descriptor
    owned<fid_cq> completions_;
    owned<fid_ep> endpoint_; ///< whose address peers are told
    owned<fid_ep> sending_;  ///< where connections must not cross; null: none beside the other one
    std::vector<own_memory> own_memory_;                       ///< only where the provider wants it
    std::unordered_map<std::uint64_t, owned<fid_mr>> exposed_; ///< by key
    int descriptor_ = -1;
    std::uint64_t next_local_key_ = 1; ///< keys above all that peers are told, see memory_copies.cpp
};

} // namespace lisle::fabric::network
