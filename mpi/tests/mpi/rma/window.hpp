// SPDX-License-Identifier: Apache-2.0
// What the tests of one-sided communication share: a window in each flavour, and one way to write an access
// in every synchronisation mode.
#pragma once

#include "check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

/// Where the memory of a window comes from.
enum class flavour {
    created,         ///< MPI_Win_create over the program's own memory
    created_mpi,     ///< MPI_Win_create over what MPI_Alloc_mem gives
    allocated,       ///< MPI_Win_allocate
    shared,          ///< MPI_Win_allocate_shared
    shared_separate, ///< the same with the info key alloc_shared_noncontig
    dynamic,         ///< MPI_Win_create_dynamic and MPI_Win_attach
};

inline std::string name_of(flavour how) {
    constexpr std::array names{"created", "created_mpi", "allocated", "shared", "shared_separate", "dynamic"};
    return names[static_cast<std::size_t>(how)];
}

/// Whether all ranks of the communicator can share memory.
inline bool shares_memory(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    int on_node = 0;
    int size = 0;
    CHECK_MPI(MPI_Comm_size(node, &on_node));
    CHECK_MPI(MPI_Comm_size(comm, &size));
    CHECK_MPI(MPI_Comm_free(&node));
    int all = on_node == size ? 1 : 0;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm));
    return all != 0;
}

/// The flavours that a window over all these ranks can have.
inline std::vector<flavour> flavours(MPI_Comm comm) {
    std::vector<flavour> all{flavour::created, flavour::created_mpi, flavour::allocated, flavour::dynamic};
    if (shares_memory(comm)) {
        all.push_back(flavour::shared);
        all.push_back(flavour::shared_separate);
    }
    return all;
}

/// A window with `count` elements of `size` bytes in each rank, all zero at first.
class window_of_bytes {
  public:
    window_of_bytes(flavour how, std::size_t count, std::size_t size, MPI_Comm comm = MPI_COMM_WORLD)
        : how_{how}, size_{size} {
        const auto bytes = static_cast<MPI_Aint>(count * size);
        const int unit = static_cast<int>(size);
        void *base = nullptr;
        switch (how) {
        case flavour::created:
        case flavour::dynamic:
            own_.resize(count * size);
            base = own_.data();
            break;
        case flavour::created_mpi:
            CHECK_MPI(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &base));
            break;
        default:
            break;
        }
        if (how == flavour::created || how == flavour::created_mpi) {
            CHECK_MPI(MPI_Win_create(base, bytes, unit, MPI_INFO_NULL, comm, &handle_));
        } else if (how == flavour::allocated) {
            CHECK_MPI(
                MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, comm, static_cast<void *>(&base), &handle_));
        } else if (how == flavour::dynamic) {
            CHECK_MPI(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &handle_));
            if (count > 0)
                CHECK_MPI(MPI_Win_attach(handle_, base, bytes));
        } else {
            MPI_Info info = MPI_INFO_NULL;
            CHECK_MPI(MPI_Info_create(&info));
            CHECK_MPI(
                MPI_Info_set(info, "alloc_shared_noncontig", how == flavour::shared ? "false" : "true"));
            CHECK_MPI(MPI_Win_allocate_shared(bytes, unit, info, comm, static_cast<void *>(&base), &handle_));
            CHECK_MPI(MPI_Info_free(&info));
        }
        bytes_ = {static_cast<std::byte *>(base), count * size};
        if (!bytes_.empty())
            std::memset(bytes_.data(), 0, bytes_.size());
        int ranks = 0;
        CHECK_MPI(MPI_Comm_size(comm, &ranks));
        first_.assign(static_cast<std::size_t>(ranks), 0);
        if (how == flavour::dynamic) {
            MPI_Aint here = 0;
            CHECK_MPI(MPI_Get_address(base, &here));
            CHECK_MPI(MPI_Allgather(&here, 1, MPI_AINT, first_.data(), 1, MPI_AINT, comm));
        }
        CHECK_MPI(MPI_Barrier(comm)); // nobody finds the memory of another before its first value
    }
    ~window_of_bytes() {
        CHECK_MPI(MPI_Win_free(&handle_));
        if (how_ == flavour::created_mpi)
            CHECK_MPI(MPI_Free_mem(bytes_.data()));
    }
    window_of_bytes(const window_of_bytes &) = delete;
    window_of_bytes &operator=(const window_of_bytes &) = delete;

    [[nodiscard]] MPI_Win handle() const noexcept { return handle_; }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// The displacement of an element of a rank's part.
    [[nodiscard]] MPI_Aint at(int rank, std::size_t index) const {
        const auto step = static_cast<MPI_Aint>(how_ == flavour::dynamic ? index * size_ : index);
        return first_[static_cast<std::size_t>(rank)] + step;
    }

  private:
    flavour how_;
    std::size_t size_;
    MPI_Win handle_ = MPI_WIN_NULL;
    std::vector<std::byte> own_;
    std::span<std::byte> bytes_;
    std::vector<MPI_Aint> first_; ///< the displacement of each rank's first element
};

/// The same with elements of a type.
template <class T> class window_of : public window_of_bytes {
    // What vectors of bytes and MPI_Alloc_mem give is aligned enough.
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  public:
    window_of(flavour how, std::size_t count, MPI_Comm comm = MPI_COMM_WORLD)
        : window_of_bytes(how, count, sizeof(T), comm) {}

    [[nodiscard]] std::span<T> memory() const noexcept {
        return {static_cast<T *>(static_cast<void *>(bytes().data())), bytes().size() / sizeof(T)};
    }
    T &operator[](std::size_t index) const noexcept { return memory()[index]; }
};

/// How accesses are synchronised.
enum class mode {
    fence,
    fence_asserted, ///< with all assertions that hold
    pscw,           ///< post, start, complete, wait
    pscw_test,      ///< the same with MPI_Win_test
    lock_shared,    ///< a lock for each target
    lock_exclusive,
    lock_nocheck, ///< a shared lock, asserted that nobody holds one that conflicts
    lock_all,     ///< one epoch, and a flush for each target
    flush_all,    ///< one epoch, and one flush for all targets
};

inline constexpr std::array all_modes{mode::fence,        mode::fence_asserted, mode::pscw,
                                      mode::pscw_test,    mode::lock_shared,    mode::lock_exclusive,
                                      mode::lock_nocheck, mode::lock_all,       mode::flush_all};

inline std::string name_of(mode how) {
    constexpr std::array names{"fence",          "fence_asserted", "pscw",     "pscw_test", "lock_shared",
                               "lock_exclusive", "lock_nocheck",   "lock_all", "flush_all"};
    return names[static_cast<std::size_t>(how)];
}

/// Whether the request forms may be called: in a passive epoch only.
inline bool is_passive(mode how) {
    return how >= mode::lock_shared;
}

/// Every rank runs `access(target)` for each of the ranks [0, size), within an epoch. Whatever all ranks
/// stored in their own parts before is seen by the accesses; whatever these store is seen by each rank
/// afterwards.
template <class Access> void synchronised(mode how, MPI_Win window, MPI_Comm comm, Access access) {
    int size = 0;
    CHECK_MPI(MPI_Comm_size(comm, &size));
    const auto for_each_target = [&] {
        for (int target = 0; target < size; ++target)
            access(target);
    };
    if (how == mode::fence) {
        CHECK_MPI(MPI_Win_fence(0, window));
        for_each_target();
        CHECK_MPI(MPI_Win_fence(0, window));
        return;
    }
    if (how == mode::fence_asserted) {
        CHECK_MPI(MPI_Win_fence(MPI_MODE_NOPRECEDE, window));
        for_each_target();
        CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window));
        return;
    }
    if (how == mode::pscw || how == mode::pscw_test) {
        MPI_Group group = MPI_GROUP_NULL;
        CHECK_MPI(MPI_Win_get_group(window, &group));
        CHECK_MPI(MPI_Win_post(group, 0, window));
        CHECK_MPI(MPI_Win_start(group, 0, window));
        for_each_target();
        CHECK_MPI(MPI_Win_complete(window));
        if (how == mode::pscw)
            CHECK_MPI(MPI_Win_wait(window));
        else
            for (int done = 0; done == 0;)
                CHECK_MPI(MPI_Win_test(window, &done));
        CHECK_MPI(MPI_Group_free(&group));
        return;
    }
    if (how == mode::lock_all || how == mode::flush_all) {
        CHECK_MPI(MPI_Win_lock_all(0, window));
        CHECK_MPI(MPI_Win_sync(window));
        CHECK_MPI(MPI_Barrier(comm));
        for (int target = 0; target < size; ++target) {
            access(target);
            if (how == mode::lock_all)
                CHECK_MPI(MPI_Win_flush(target, window));
        }
        if (how == mode::flush_all)
            CHECK_MPI(MPI_Win_flush_all(window));
        CHECK_MPI(MPI_Barrier(comm));
        CHECK_MPI(MPI_Win_sync(window));
        CHECK_MPI(MPI_Win_unlock_all(window));
        return;
    }
    const int type = how == mode::lock_exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
    const int assertion = how == mode::lock_nocheck ? MPI_MODE_NOCHECK : 0;
    int self = -1;
    CHECK_MPI(MPI_Comm_rank(comm, &self));
    // An epoch on one's own part makes stores seen where the memory model is the separate one.
    const auto publish = [&] {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, self, 0, window));
        CHECK_MPI(MPI_Win_sync(window));
        CHECK_MPI(MPI_Win_unlock(self, window));
    };
    publish();
    CHECK_MPI(MPI_Barrier(comm));
    for (int target = 0; target < size; ++target) {
        CHECK_MPI(MPI_Win_lock(type, target, assertion, window));
        access(target);
        CHECK_MPI(MPI_Win_unlock(target, window));
    }
    CHECK_MPI(MPI_Barrier(comm));
    publish();
}
