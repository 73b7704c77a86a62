// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/kernel_way.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "rma/ways/dense_update.hpp"

namespace lisle::rma {

namespace {

typed_buffer at_target(const target_data &target, std::uint64_t address) {
    return {reinterpret_cast<void *>(address), target.count, *target.type};
}

/// Calls `copy(address, here)` for each run of the target's data and the bytes here that belong to it, until
/// one fails.
template <class Copy> bool copy_runs(const typed_buffer &there, std::byte *here, MPI_Count bytes, Copy copy) {
    bool copied = true;
    for_each_run(there, 0, bytes, [&](std::uint64_t address, std::size_t length) {
        const iovec run{here, length};
        copied = copied && copy(address, std::span<const iovec>{&run, 1});
        here += length;
    });
    return copied;
}

/// A copy of consecutive elements of a target. Gaps between their data are neither read nor written.
class copied_elements {
  public:
    copied_elements(const window_members &members, int target, const datatype &element)
        : members_{members}, target_{target}, element_{element} {}

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
            return members_.table().medium->read(peer, there, here);
        });
    }
    void store() {
        each_run([this](int peer, std::uint64_t there, std::span<const iovec> here) {
            return members_.table().medium->write(peer, there, here);
        });
    }

  private:
    template <class Copy> void each_run(Copy copy) {
        const int peer = members_.number_of(target_);
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

    const window_members &members_;
    int target_;
    const datatype &element_;
    std::uint64_t address_ = 0;
    std::size_t count_ = 0;
    alignas(16) std::byte short_[64];
    std::vector<std::byte> long_;
};

} // namespace

protocol::request *kernel_way::put(const typed_buffer &origin, const target_data &target,
                                   std::uint64_t address) {
    dense_data data{origin};
    if (!data.copied().empty()) {
        pack(origin, 0, data.copied());
    }
    const int peer = members_.number_of(target.rank);
    const bool copied =
        copy_runs(at_target(target, address), data.get(), origin.bytes(), [&](std::uint64_t there, auto run) {
            return members_.table().medium->write(peer, there, run);
        });
    return copied ? nullptr : otherwise_.put(origin, target, address);
}

protocol::request *kernel_way::get(const typed_buffer &origin, const target_data &target,
                                   std::uint64_t address) {
    const MPI_Count bytes = target.bytes();
    dense_data data{origin};
    const int peer = members_.number_of(target.rank);
    const bool copied =
        copy_runs(at_target(target, address), data.get(), bytes, [&](std::uint64_t there, auto run) {
            return members_.table().medium->read(peer, there, run);
        });
    if (!copied) {
        return otherwise_.get(origin, target, address);
    }
    if (!data.copied().empty()) {
        unpack(origin, 0, data.copied().first(static_cast<std::size_t>(bytes)));
    }
    return nullptr;
}

void kernel_way::update_elements(int target, std::uint64_t address, const element_update &how,
                                 const std::byte *origin, std::byte *result, std::size_t count) {
    const auto size = static_cast<std::size_t>(how.element().size());
    const auto extent = static_cast<std::size_t>(how.element().extent());
    copied_elements copy{members_, target, how.element()};
    while (count != 0) {
        const std::size_t some = std::min(count, copy.most());
        copy.choose(address, some);
        {
            const std::scoped_lock guard{members_.at(target).updates};
            if (!how.writes_only() || result != nullptr) {
                copy.fetch();
            }
            how.apply(copy.get(), origin, result, some, {});
            if (!how.reads_only()) {
                copy.store();
            }
        }
        origin = origin != nullptr ? origin + some * size : nullptr;
        result = result != nullptr ? result + some * size : nullptr;
        address += some * extent;
        count -= some;
    }
}

protocol::request *kernel_way::update(const typed_buffer &origin, MPI_Count bytes, const typed_buffer *result,
                                      const target_data &target, std::uint64_t address,
                                      const element_update &how) {
    if (!members_.at(target.rank).facts.copied) { // its row has no lock that all would take
        return otherwise_.update(origin, bytes, result, target, address, how);
    }
    update_dense(origin, bytes, result, at_target(target, address), how,
                 [&](std::byte *at, const std::byte *operands, std::byte *former, std::size_t elements) {
                     update_elements(target.rank, reinterpret_cast<std::uint64_t>(at), how, operands, former,
                                     elements);
                 });
    return nullptr;
}

protocol::request *kernel_way::compare(const void *origin, const void *compare, void *result,
                                       const target_data &target, std::uint64_t address) {
    if (!members_.at(target.rank).facts.copied) {
        return otherwise_.compare(origin, compare, result, target, address);
    }
    copied_elements copy{members_, target.rank, *target.type};
    copy.choose(address, 1);
    const std::scoped_lock guard{members_.at(target.rank).updates};
    copy.fetch();
    if (compare_and_swap(*target.type, copy.get(), static_cast<const std::byte *>(compare),
                         static_cast<const std::byte *>(origin), static_cast<std::byte *>(result), {})) {
        copy.store();
    }
    return nullptr;
}

} // namespace lisle::rma
