// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/kernel_way.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/spin_lock.hpp"
#include "datatype/copy.hpp"
#include "rma/ways/dense_update.hpp"

namespace lisle::rma {

namespace {

/// Calls `copy(address, here)` for each run of the target's data with the caller's bytes for it, until a call
/// fails.
template <class Copy> bool copy_runs(const typed_buffer &there, std::byte *here, MPI_Count bytes, Copy copy) {
    bool copied = true;
    for_each_run(there, 0, bytes, [&](std::uint64_t address, std::size_t length) {
        const iovec run{here, length};
        copied = copied && copy(address, std::span<const iovec>{&run, 1});
        here += length;
    });
    return copied;
}

/// A copy of consecutive elements of a target. Gaps between their data are neither read nor written. What
/// memory it needs it has from the beginning, before anything is changed.
class copied_elements {
  public:
    /// @param bytes of data in all, of which it copies some at a time
    copied_elements(const window_members &members, int target, const datatype &element, MPI_Count bytes)
        : members_{members}, target_{target}, element_{element} {
        runs_.reserve(most_runs);
        const auto elements = static_cast<std::size_t>(bytes / element.size());
        const std::size_t room = std::min(elements, most()) * static_cast<std::size_t>(element.extent());
        if (room > sizeof short_) {
            long_.resize(room);
        }
    }

    /// Elements that are copied under one hold of the lock, which is to be short.
    [[nodiscard]] std::size_t most() const noexcept {
        constexpr std::size_t most_bytes = 32'768;
        return std::max<std::size_t>(1, most_bytes / static_cast<std::size_t>(element_.extent()));
    }
    [[nodiscard]] std::byte *get() noexcept { return long_.empty() ? short_ : long_.data(); }

    void choose(std::uint64_t address, std::size_t count) noexcept {
        address_ = address;
        count_ = count;
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
        const typed_buffer data{reinterpret_cast<void *>(address_), count, element_};
        for (MPI_Count done = 0, all = count * element_.size(); done != all;) {
            runs_.clear();
            done += runs(data, done, all - done, most_runs, runs_);
            for (const iovec &run : runs_) {
                const auto there = reinterpret_cast<std::uint64_t>(run.iov_base);
                const iovec here{get() + (there - address_), run.iov_len};
                if (!copy(peer, there, std::span<const iovec>{&here, 1})) {
                    fail(MPI_ERR_RMA_RANGE, "the ", run.iov_len, " bytes at address ", there, " of target ",
                         target_, " cannot be changed: they are no memory of its process");
                }
            }
        }
    }
    static constexpr std::size_t most_runs = 64;

    const window_members &members_;
    int target_;
    const datatype &element_;
    std::uint64_t address_ = 0;
    std::size_t count_ = 0;
    alignas(16) std::byte short_[64];
    std::vector<std::byte> long_;
    std::vector<iovec> runs_;
};

} // namespace

protocol::request *kernel_way::put(const transfer &of) {
    dense_data data{of.origin};
    if (!data.copied().empty()) {
        pack(of.origin, 0, data.copied());
    }
    const int peer = members_.number_of(of.target.rank);
    const bool copied =
        copy_runs(of.at_target(), data.get(), of.origin.bytes(), [&](std::uint64_t there, auto run) {
            return members_.table().medium->write(peer, there, run);
        });
    return copied ? nullptr : otherwise_.put(of);
}

protocol::request *kernel_way::get(const transfer &of) {
    const MPI_Count bytes = of.target.bytes();
    dense_data data{of.origin};
    const int peer = members_.number_of(of.target.rank);
    const bool copied = copy_runs(of.at_target(), data.get(), bytes, [&](std::uint64_t there, auto run) {
        return members_.table().medium->read(peer, there, run);
    });
    if (!copied) {
        return otherwise_.get(of);
    }
    if (!data.copied().empty()) {
        unpack(of.origin, 0, data.copied().first(static_cast<std::size_t>(bytes)));
    }
    return nullptr;
}

namespace {
/// @param lock of the target's row
void update_elements(copied_elements &copy, spin_lock &lock, std::uint64_t address, const element_update &how,
                     const std::byte *origin, std::byte *result, std::size_t count) {
    const auto size = static_cast<std::size_t>(how.element().size());
    const auto extent = static_cast<std::size_t>(how.element().extent());
    while (count != 0) {
        const std::size_t some = std::min(count, copy.most());
        copy.choose(address, some);
        {
            const std::scoped_lock guard{lock};
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
} // namespace

protocol::request *kernel_way::update(const target_update &of) {
    if (!members_.at(of.target.rank).facts.copied) { // then not all origins would take the lock of its row
        return otherwise_.update(of);
    }
    copied_elements copy{members_, of.target.rank, of.how.element(), of.bytes};
    spin_lock &lock = members_.at(of.target.rank).updates;
    update_dense(of, of.at_target(),
                 [&](std::byte *at, const std::byte *operands, std::byte *former, std::size_t elements) {
                     update_elements(copy, lock, reinterpret_cast<std::uint64_t>(at), of.how, operands,
                                     former, elements);
                 });
    return nullptr;
}

protocol::request *kernel_way::compare(const target_comparison &of) {
    if (!members_.at(of.target.rank).facts.copied) {
        return otherwise_.compare(of);
    }
    const datatype &element = *of.target.type;
    copied_elements copy{members_, of.target.rank, element, element.size()};
    copy.choose(of.address, 1);
    const std::scoped_lock guard{members_.at(of.target.rank).updates};
    copy.fetch();
    if (compare_and_swap(element, copy.get(), static_cast<const std::byte *>(of.compare),
                         static_cast<const std::byte *>(of.origin.address),
                         static_cast<std::byte *>(of.result), {})) {
        copy.store();
    }
    return nullptr;
}

} // namespace lisle::rma
