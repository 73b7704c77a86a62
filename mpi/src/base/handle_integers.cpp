// SPDX-License-Identifier: Apache-2.0
// The table of integers: a slot for each object that has one, and a list of free slots through them.
#include "base/handle_integers.hpp"

#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

/// Reads and writes object::integer_, always under the lock.
class integer_table {
  public:
    int add(object &target) {
        const std::scoped_lock lock{mutex_};
        if (target.integer_ == 0) {
            target.integer_ = first_free_ != none ? take_free_locked(target) : append_locked(target);
        }
        return target.integer_;
    }

    object *find(int integer) noexcept {
        const std::scoped_lock lock{mutex_};
        const auto index = static_cast<std::size_t>(integer) - first_dynamic_handle;
        return index < slots_.size() ? slots_[index].target : nullptr;
    }

    void drop(object &target) noexcept {
        const std::scoped_lock lock{mutex_};
        const auto index = static_cast<std::size_t>(target.integer_) - first_dynamic_handle;
        slots_[index] = {nullptr, first_free_};
        first_free_ = index;
    }

  private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    struct slot {
        object *target;
        std::size_t next_free;
    };

    static int integer_at(std::size_t index) noexcept {
        return static_cast<int>(index + first_dynamic_handle);
    }

    int take_free_locked(object &target) noexcept {
        const std::size_t index = first_free_;
        first_free_ = slots_[index].next_free;
        slots_[index] = {&target, none};
        return integer_at(index);
    }

    int append_locked(object &target) {
        if (slots_.size() >= std::numeric_limits<int>::max() - first_dynamic_handle) {
            fail(MPI_ERR_INTERN, "there are no more integers for handles: ", slots_.size(), " are in use");
        }
        slots_.push_back({&target, none});
        return integer_at(slots_.size() - 1);
    }

    std::mutex mutex_; ///< protects all below
    std::vector<slot> slots_;
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
    return integer < static_cast<int>(first_dynamic_handle) ? nullptr : integers().find(integer);
}

void detail::drop_integer(object &target) noexcept {
    integers().drop(target);
}

} // namespace lisle
