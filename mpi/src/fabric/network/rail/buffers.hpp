// SPDX-License-Identifier: Apache-2.0
// The buffers that frames are sent from and received to: a fixed number of one size, in one piece of memory
// that each rail registers once. What is not used is not touched, and takes no memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <sys/mman.h>
#include <vector>

#include "base/error.hpp"
#include "fabric/network/device/device.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

/// One buffer, in a list of free ones or with an operation that is under way.
struct buffer final : operation {
    buffer(kind what, std::span<std::byte> room) noexcept : operation{what}, room{room} {}
    std::span<std::byte> room;
    std::size_t bytes = 0;                ///< of the frame in it
    std::span<const std::byte> outside{}; ///< the end of the frame, if it is not in it, during one call
    int process = -1;                     ///< of the peer that a frame is sent to
    std::size_t rail = 0;                 ///< by which it was received, or is being sent
    bool urgent = false;                  ///< it may leave before others that wait
    bool at_provider = false;
    bool numbered = false; ///< it has its place among the frames that the peer is to acknowledge
    bool kept = false;     ///< until the peer has acknowledged it
};

class buffer_pool {
  public:
    /// Throws mpi_error (MPI_ERR_NO_MEM) if the system has no addresses for so much.
    buffer_pool(operation::kind what, std::size_t count, std::size_t size) : bytes_{count * size} {
        void *const memory =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            fail(MPI_ERR_NO_MEM, "no room for ", count, " buffers of ", size, " bytes for the network");
        }
        memory_ = static_cast<std::byte *>(memory);
        all_.reserve(count);
        for (std::size_t at = 0; at != count; ++at) {
            all_.emplace_back(what, std::span{memory_ + at * size, size});
        }
        free_.reserve(count);
        for (buffer &each : all_) {
            free_.push_back(&each);
        }
    }
    buffer_pool(const buffer_pool &) = delete;
    buffer_pool &operator=(const buffer_pool &) = delete;
    ~buffer_pool() { munmap(memory_, bytes_); }

    /// All of it, to be registered.
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return {memory_, bytes_}; }

    [[nodiscard]] std::size_t available() const noexcept { return free_.size(); }
    /// @pre available() is not 0. The one that was used last comes first: it is in the caches.
    [[nodiscard]] buffer &take() noexcept {
        buffer &taken = *free_.back();
        free_.pop_back();
        return taken;
    }
    void give_back(buffer &used) noexcept { free_.push_back(&used); } // never grows: reserved for all
    [[nodiscard]] std::size_t index_of(const buffer &one) const noexcept {
        return static_cast<std::size_t>(&one - all_.data());
    }
    [[nodiscard]] buffer &at(std::size_t index) noexcept { return all_[index]; }

  private:
    std::size_t bytes_;
    std::byte *memory_ = nullptr;
    std::vector<buffer> all_;
    std::vector<buffer *> free_;
};

} // namespace lisle::fabric::network
