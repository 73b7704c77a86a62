// SPDX-License-Identifier: Apache-2.0
// How a sender fills lines of shared memory that the receiver read last. An ordinary store has to take the
// line from the receiver's caches first. Where the two cores share a cache that costs less than the copy;
// where they do not, several times as much: 1.1 and 3.8 us for 16 KiB. Stores past the caches ask for no line
// (0.5 us) and leave the receiver to read from memory, which takes it as long as reading lines of far caches
// (1.2 us) and twice as long as those of a near one. Where the cores lie nobody says, and on virtual machines
// it changes while a job runs: so the writer finds out by measuring, now and then, what a line costs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lisle::fabric {

/// One writer for each receiver. Thread-safe.
class payload_writer {
  public:
    /// Copies to lines of a ring, ready to be published with a release store.
    /// @param to begins with a line
    void write(std::byte *to, const std::byte *from, std::size_t bytes) noexcept;

    /// Takes note of what ordinary stores cost. @param nanoseconds for all of `bytes`
    void note(double nanoseconds, std::size_t bytes) noexcept;
    /// True if the receiver's caches are so far that it is better to store past them.
    [[nodiscard]] bool far() const noexcept { return line_cost_.load(std::memory_order_relaxed) > far_cost; }

  private:
    // Nanoseconds for a line. With ordinary stores write and read take 4 and 2.3 ns where lines come over
    // fast, 14 and 5.5 where not, past the caches always 2 and 5.
    static constexpr float far_cost = 6;
    static constexpr std::size_t least_bytes = 2048; ///< shorter payloads are not worth the question

    // Relaxed, both: they only choose between two ways of doing the same, and an update that two threads make
    // at once may count once.
    std::atomic<std::uint32_t> written_{0};
    std::atomic<float> line_cost_{1};
};

} // namespace lisle::fabric
