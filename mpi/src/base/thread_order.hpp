// SPDX-License-Identifier: Apache-2.0
// The orders that MPI makes among the threads of a process, told to ThreadSanitizer where the program was
// built with it and Lisle was not: else the runtime sees neither messages nor barriers, and takes what they
// order for races. An order has a place: what a thread has done before it releases the place comes before
// what another one does after it has acquired it.
#pragma once

#include <cstdint>

#include "base/sanitizer_calls.hpp"

namespace lisle::thread_order {

/// Whether orders are told. Lisle built with ThreadSanitizer shows them itself.
[[nodiscard]] inline bool told() noexcept {
#if defined(__SANITIZE_THREAD__)
    return false;
#else
    return __tsan_acquire != nullptr;
#endif
}

/// What makes an order.
enum class maker : std::uint8_t {
    message,         ///< context, source, number of the receiver in the job, tag
    receive,         ///< context and number of the receiver: a receive has begun, as synchronous sends hear
    other_processes, ///< whatever another process may pass on
    collective,      ///< context, number of the call, rank (of prefix reductions)
    meeting,         ///< a communicator that its members make by a tag or a string
    request,         ///< address
    partition,       ///< context, source, number of the receiver
    window,          ///< context, rank, a part of what orders accesses
    memory,          ///< address
    task,            ///< address
};

/// See above. Its address follows from the numbers, so who tells and who hears need nothing in common. Two
/// may fall together: then an order is told that there is not.
class place {
  public:
    explicit place(maker what, std::uint64_t first = 0, std::uint64_t second = 0, std::uint64_t third = 0,
                   std::uint64_t fourth = 0) noexcept;
    explicit place(maker what, const volatile void *object) noexcept
        : place{what, reinterpret_cast<std::uintptr_t>(object)} {}

    // @pre told()
    void release() const noexcept { __tsan_release(address_); }
    void acquire() const noexcept { __tsan_acquire(address_); }

  private:
    void *address_;
};

/// While one lives, what the calling thread reads and writes is not looked at: what Lisle does to its own
/// memory, and to the program's for it. Nothing unless orders are told.
class library_code {
  public:
    library_code() noexcept { begin(); }
    ~library_code() { end(); }
    library_code(const library_code &) = delete;
    library_code &operator=(const library_code &) = delete;

    static void begin() noexcept {
        if (told()) [[unlikely]] {
            AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
            AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
        }
    }
    static void end() noexcept {
        if (told()) [[unlikely]] {
            AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
            AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
        }
    }
};

} // namespace lisle::thread_order
