// SPDX-License-Identifier: Apache-2.0
// The table of integers: a slot for each object that has one, and a list of free slots through them. Reads
// take no lock, since programs of interfaces whose handles are integers read a slot in each call.
#include "base/handle_integers.hpp"

#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>

#include "base/error.hpp"
#include "base/growing_array.hpp"
#include "mpi.h"

lisle::integer_slots lisle_integer_slots;

namespace lisle {

/// Reads and writes object::integer_. The writes are under the lock.
class integer_table {
  public:
    int add(object &target) {
        // Acquire: pairs with the release store below, so that with the integer the object is found.
        const int known = std::atomic_ref{target.integer_}.load(std::memory_order_acquire);
        return known != 0 ? known : add_anew(target);
    }

    void drop(object &target) noexcept {
        const std::scoped_lock lock{mutex_};
        const auto index = static_cast<std::size_t>(target.integer_) - first_dynamic_handle;
        slots_[index].next_free = first_free_;
        first_free_ = index;
        // Relaxed: who asks for the integer of an object that ends at the same time has made a mistake.
        std::atomic_ref{slots_[index].target}.store(nullptr, std::memory_order_relaxed);
    }

  private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t most = std::size_t{1} << 26;
    static_assert(sizeof(object) == sizeof(object_beginning) &&
                  offsetof(object, integer_) == offsetof(object_beginning, integer));

    [[gnu::cold, gnu::noinline]] int add_anew(object &target) {
        const std::scoped_lock lock{mutex_};
        if (target.integer_ == 0) {
            const std::size_t index = first_free_ != none ? take_free_locked() : append_locked();
            // Release: pairs with the acquire load of integer_slots::find().
            std::atomic_ref{slots_[index].target}.store(&target, std::memory_order_release);
            // Release: pairs with the acquire load of add().
            std::atomic_ref{target.integer_}.store(static_cast<int>(index + first_dynamic_handle),
                                                   std::memory_order_release);
        }
        return target.integer_;
    }

    std::size_t take_free_locked() noexcept {
        const std::size_t index = first_free_;
        first_free_ = slots_[index].next_free;
        return index;
    }

    std::size_t append_locked() {
        const std::size_t index = slots_.size();
        if (index == most) {
            fail(MPI_ERR_INTERN, "there are no more integers for handles: ", most, " are in use");
        }
        slots_.push_back({nullptr, none});
        lisle_integer_slots.first.store(slots_.data(), std::memory_order_relaxed);
        lisle_integer_slots.size.store(index + 1, std::memory_order_release);
        return index;
    }

    std::mutex mutex_; ///< protects all below, but for reads of slots
    growing_array<integer_slot> slots_{most};
    std::size_t first_free_ = none;
};

namespace {

/// Never destroyed: objects end after static objects do.
integer_table &integers() {
    static auto &only = *new integer_table;
    return only;
}

} // namespace

int integer_of(object &target) {
    return integers().add(target);
}

object *object_with_integer(int integer) noexcept {
    return lisle_integer_slots.find(integer);
}

void detail::drop_integer(object &target) noexcept {
    integers().drop(target);
}

} // namespace lisle
