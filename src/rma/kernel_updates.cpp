// SPDX-License-Identifier: Apache-2.0
#include "rma/kernel_updates.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "rma/window.hpp"

namespace lisle::rma {

namespace {

/// A copy of consecutive elements of a target. Gaps between their data are neither read nor written.
class copied_elements {
  public:
    copied_elements(window &on, int target, const datatype &element)
        : on_{on}, target_{target}, element_{element} {}

    /// How many are copied at once, so that the lock is not held for long.
    [[nodiscard]] std::size_t most() const noexcept {
        constexpr std::size_t most_bytes = 32'768;
        return std::max<std::size_t>(1, most_bytes / static_cast<std::size_t>(element_.extent()));
    }
    [[nodiscard]] std::byte *get() noexcept { return long_.empty() ? short_ : long_.data(); }

    void choose(std::uint64_t address, std::size_t count) {
        address_ = address;
        count_ = count;
        if (const std::size_t bytes = count * static_cast<std::size_t>(element_.extent());
            bytes > std::max(sizeof short_, long_.size())) {
            long_.resize(bytes);
        }
    }
    void fetch() {
        each_run([this](int peer, std::uint64_t there, std::span<const iovec> here) {
            return on_.table().medium->read(peer, there, here);
        });
    }
    void store() {
        each_run([this](int peer, std::uint64_t there, std::span<const iovec> here) {
            return on_.table().medium->write(peer, there, here);
        });
    }

  private:
    template <class Copy> void each_run(Copy copy) {
        const int peer = on_.number_of(target_);
        const auto count = static_cast<MPI_Count>(count_);
        for_each_run({reinterpret_cast<void *>(address_), count, element_}, 0, count * element_.size(),
                     [&](std::uint64_t there, std::size_t bytes) {
                         const iovec here{get() + (there - address_), bytes};
                         if (!copy(peer, there, std::span<const iovec>{&here, 1})) {
                             fail(MPI_ERR_RMA_RANGE, "the ", bytes, " bytes at address ", there,
                                  " of target ", target_,
                                  " cannot be changed: they are no memory of its process");
                         }
                     });
    }

    window &on_;
    int target_;
    const datatype &element_;
    std::uint64_t address_ = 0;
    std::size_t count_ = 0;
    alignas(16) std::byte short_[64];
    std::vector<std::byte> long_;
};

} // namespace

bool updates_by_kernel(window &on, const target_data &target) {
    const member_facts &of = on.at(target.rank).facts;
    if (!of.copied || of.process < 0 || of.process == on.table().process) {
        return false;
    }
    if (!on.dynamic()) {
        return true;
    }
    if (find_attached(on, target) != attached_table::answer::attached) {
        return false;
    }
    on.origin.flush(
        target.rank); // of what went by messages, when the table did not say: updates stay in order
    return true;
}

void update_by_kernel(window &on, int target, std::uint64_t address, const element_update &update,
                      const std::byte *origin, std::byte *result, std::size_t count) {
    const auto size = static_cast<std::size_t>(update.element().size());
    const auto extent = static_cast<std::size_t>(update.element().extent());
    copied_elements copy{on, target, update.element()};
    while (count != 0) {
        const std::size_t some = std::min(count, copy.most());
        copy.choose(address, some);
        {
            const std::scoped_lock guard{on.at(target).updates};
            if (!update.writes_only() || result != nullptr) {
                copy.fetch();
            }
            update.apply(copy.get(), origin, result, some, {});
            if (!update.reads_only()) {
                copy.store();
            }
        }
        origin = origin != nullptr ? origin + some * size : nullptr;
        result = result != nullptr ? result + some * size : nullptr;
        address += some * extent;
        count -= some;
    }
}

void compare_by_kernel(window &on, int target, std::uint64_t address, const datatype &element,
                       const std::byte *compare, const std::byte *origin, std::byte *result) {
    copied_elements copy{on, target, element};
    copy.choose(address, 1);
    const std::scoped_lock guard{on.at(target).updates};
    copy.fetch();
    if (compare_and_swap(element, copy.get(), compare, origin, result, {})) {
        copy.store();
    }
}

} // namespace lisle::rma
