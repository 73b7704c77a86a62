// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/network_way.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "fabric/routes.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"

namespace lisle::rma {

/// One copy under way.
class network_way::copy final : public protocol::operation, public fabric::copy_completion {
  public:
    copy(network_way &of, const typed_buffer &origin, int target, bool reads)
        : operation{of.members_.home()}, of_{of}, origin_{origin}, target_{target}, reads_{reads} {
        if (!origin.type->contiguous()) {
            keep(*origin.type);
            packed_.resize(static_cast<std::size_t>(origin.bytes()));
        }
    }
    /// The bytes to copy, in one piece.
    [[nodiscard]] iovec piece(std::size_t bytes) {
        if (packed_.empty()) {
            return {origin_.address, bytes};
        }
        if (!reads_) {
            pack(origin_, 0, packed_);
        }
        return {packed_.data(), bytes};
    }
    /// From poll(), with the engine's lock held.
    void copied(bool moved) override {
        if (moved && reads_ && !packed_.empty()) {
            unpack(origin_, 0, packed_);
        }
        result.bytes = moved ? origin_.bytes() : 0;
        if (!moved) {
            result.error = MPIX_ERR_PROC_FAILED;
            of_.failed_.store(target_, std::memory_order_relaxed);
        }
        protocol::engine &owner = *home;
        network_way &of = of_;
        owner.core().complete_locked(*this); // gives the object away
        of.under_way_.fetch_sub(1, std::memory_order_release);
    }

  private:
    network_way &of_;
    typed_buffer origin_;
    int target_;
    bool reads_;
    std::vector<std::byte> packed_;
};

namespace {

/// Where the data begin at the target if they lie in one piece.
std::optional<std::uint64_t> only_run(const transfer &of, MPI_Count bytes) {
    if (of.target.type->contiguous()) {
        return of.address;
    }
    std::optional<std::uint64_t> first;
    unsigned runs = 0;
    for_each_run(of.at_target(), 0, bytes, [&](std::uint64_t at, std::size_t) {
        first = runs++ == 0 ? std::optional{at} : std::nullopt;
    });
    return first;
}

} // namespace

protocol::request *network_way::start(const transfer &of, bool reads) {
    const typed_buffer &origin = of.origin;
    const target_data &target = of.target;
    const MPI_Count bytes = reads ? target.bytes() : origin.bytes();
    const auto first = only_run(of, bytes);
    // Of the origin's buffer only the part that has data.
    const typed_buffer used{origin.address,
                            reads && origin.bytes() != bytes ? bytes / origin.type->size() : origin.count,
                            *origin.type};
    if (!first || used.bytes() != bytes) {
        return nullptr;
    }
    auto started = std::make_unique<copy>(*this, used, target.rank, reads);
    const iovec piece = started->piece(static_cast<std::size_t>(bytes));
    const std::span<const iovec> pieces{&piece, 1};
    const int peer = members_.number_of(target.rank);
    fabric::remote_memory *const memory = members_.home().routes().to(peer).memory;
    const fabric::remote_place place{peer, *first, members_.at(target.rank).facts.key};
    const int self = members_.number_of(members_.rank());
    members_.home().core().expect(*started, peer); // a wait then polls the fabric that tells the end
    under_way_.fetch_add(1, std::memory_order_relaxed);
    members_.note_requests();
    for (unsigned tries = 0;; members_.home().waits().found_no_room(tries)) {
        switch (reads ? memory->start_read(self, place, pieces, *started)
                      : memory->start_write(self, place, pieces, *started)) {
        case fabric::copy_start::under_way:
            return started.release();
        case fabric::copy_start::full:
            continue;
        case fabric::copy_start::done:
            started->result.bytes = bytes;
            break;
        case fabric::copy_start::refused:
            started->result.error = MPI_ERR_OTHER;
            break;
        }
        break;
    }
    under_way_.fetch_sub(1, std::memory_order_relaxed);
    copy *const ended = started.release();
    members_.home().complete(*ended);
    if (ended->result.error != MPI_SUCCESS) {
        ended->free();
        return nullptr;
    }
    return ended;
}

protocol::request *network_way::put(const transfer &of) {
    protocol::request *const started = start(of, false);
    return started != nullptr ? started : otherwise_.put(of);
}

protocol::request *network_way::get(const transfer &of) {
    protocol::request *const started = start(of, true);
    return started != nullptr ? started : otherwise_.get(of);
}

void network_way::wait() {
    protocol::wait_until(members_.home(), [this] { return under_way_.load(std::memory_order_acquire) == 0; });
    if (const int target = failed_.exchange(-1, std::memory_order_relaxed); target >= 0) {
        fail(MPIX_ERR_PROC_FAILED, "target ", target, " has failed");
    }
}

} // namespace lisle::rma
