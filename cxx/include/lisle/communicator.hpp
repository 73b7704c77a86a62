// SPDX-License-Identifier: Apache-2.0
// Communicators: cheap views with all functions of communication, and the functions that make new ones, which
// return owners. `lisle::world()` is where a program begins.
#pragma once

#include <concepts>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "lisle/collective/allgather.hpp"
#include "lisle/collective/alltoall.hpp"
#include "lisle/collective/broadcast.hpp"
#include "lisle/collective/gather.hpp"
#include "lisle/collective/reduce.hpp"
#include "lisle/collective/reduce_scatter.hpp"
#include "lisle/collective/scan.hpp"
#include "lisle/collective/scatter.hpp"
#include "lisle/detail/owned.hpp"
#include "lisle/group.hpp"

namespace lisle {

class info;
class intercommunicator;

/// The resource that the ranks of one part of split_by() share.
enum class hardware {
    memory = MPI_COMM_TYPE_SHARED, ///< one memory
#if !LISLE_USE_MPI_3
    guided = MPI_COMM_TYPE_HW_GUIDED,     ///< what an info names
    unguided = MPI_COMM_TYPE_HW_UNGUIDED, ///< the next smaller part of the machine
#endif
};

/// A view of an intracommunicator: messages between two ranks, and collective calls, a base for each family.
/// Copying it is free and collective calls are only those that say so.
class communicator : public point_to_point,
                     public detail::broadcast_calls,
                     public detail::gather_calls,
                     public detail::allgather_calls,
                     public detail::scatter_calls,
                     public detail::alltoall_calls,
                     public detail::reduce_calls,
                     public detail::scan_calls,
                     public detail::reduce_scatter_calls {
  public:
    using point_to_point::point_to_point;
    /// For owned<>: the handle of none.
    static MPI_Comm null() noexcept { return MPI_COMM_NULL; }
    /// For owned<>: MPI_Comm_free.
    static void free(MPI_Comm handle) noexcept { MPI_Comm_free(&handle); }
    /// False if the call that made it gave this rank none.
    explicit operator bool() const noexcept { return comm_ != MPI_COMM_NULL; }

    /// A communicator of the same ranks whose messages cannot meet those of this one. Collective.
    [[nodiscard]] owned<communicator> dup() const {
        MPI_Comm made = MPI_COMM_NULL;
        return own(MPI_Comm_dup(comm_, &made), "MPI_Comm_dup", made);
    }
    /// The same with hints of its own instead of this one's: lisle/info.hpp.
    template <std::same_as<info> Info> [[nodiscard]] owned<communicator> dup(const Info &hints) const {
        MPI_Comm made = MPI_COMM_NULL;
        return own(MPI_Comm_dup_with_info(comm_, hints.native(), &made), "MPI_Comm_dup_with_info", made);
    }
    /// The hints that MPI uses: lisle/info.hpp.
    template <class Info = info> [[nodiscard]] Info hints() const {
        MPI_Info used = MPI_INFO_NULL;
        detail::check(MPI_Comm_get_info(comm_, &used), "MPI_Comm_get_info");
        return Info{used};
    }
    /// Gives further hints. Collective.
    template <std::same_as<info> Info> void hints(const Info &further) const {
        detail::check(MPI_Comm_set_info(comm_, further.native()), "MPI_Comm_set_info");
    }
    /// One communicator for each colour, ranks in the order of `key`; none for ranks without a colour.
    /// Collective.
    ///
    ///     lisle::owned<lisle::communicator> row = world.split(world.rank() / columns);
    [[nodiscard]] owned<communicator> split(std::optional<int> colour, int key = 0) const {
        MPI_Comm made = MPI_COMM_NULL;
        return own(MPI_Comm_split(comm_, colour.value_or(MPI_UNDEFINED), key, &made), "MPI_Comm_split", made);
    }
    /// One communicator for each part of the machine: `world.split_by(lisle::hardware::memory)`. Collective.
    [[nodiscard]] owned<communicator> split_by(hardware kind, int key = 0) const {
        MPI_Comm made = MPI_COMM_NULL;
        return own(MPI_Comm_split_type(comm_, static_cast<int>(kind), key, MPI_INFO_NULL, &made),
                   "MPI_Comm_split_type", made);
    }
    /// The same for a part of the machine that hints name: `{{"mpi_hw_resource_type", "..."}}`. Collective.
    template <std::same_as<info> Info>
    [[nodiscard]] owned<communicator> split_by(hardware kind, const Info &hints, int key = 0) const {
        MPI_Comm made = MPI_COMM_NULL;
        return own(MPI_Comm_split_type(comm_, static_cast<int>(kind), key, hints.native(), &made),
                   "MPI_Comm_split_type", made);
    }
    /// The communicator of a group; none for ranks outside it. All ranks of this communicator call it.
    [[nodiscard]] owned<communicator> create(const lisle::group &ranks) const {
        MPI_Comm made = MPI_COMM_NULL;
        return own(MPI_Comm_create(comm_, ranks.native(), &made), "MPI_Comm_create", made);
    }
    /// The same, called by the ranks of the group only.
    [[nodiscard]] owned<communicator> create_group(const lisle::group &ranks, int tag = 0) const {
        MPI_Comm made = MPI_COMM_NULL;
        return own(MPI_Comm_create_group(comm_, ranks.native(), tag, &made), "MPI_Comm_create_group", made);
    }
    /// Joins this communicator with another one, which `bridge` reaches: see intercommunicator.
    [[nodiscard]] owned<intercommunicator> connect(int leader, const communicator &bridge, int remote_leader,
                                                   int tag = 0) const;

    /// The ranks of the communicator, without communication (MPI_Comm_group).
    [[nodiscard]] owned<lisle::group> group() const {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Comm_group(comm_, &made), "MPI_Comm_group");
        return owned<lisle::group>{made};
    }
    /// The name that debuggers show (MPI_Comm_get_name, MPI_Comm_set_name).
    [[nodiscard]] std::string name() const {
        char text[MPI_MAX_OBJECT_NAME];
        int length = 0;
        detail::check(MPI_Comm_get_name(comm_, text, &length), "MPI_Comm_get_name");
        return {text, static_cast<std::size_t>(length)};
    }
    void name(const std::string &text) const {
        detail::check(MPI_Comm_set_name(comm_, text.c_str()), "MPI_Comm_set_name");
    }
    /// True if that rank lives in this address space: what is moved to it is not copied.
    [[nodiscard]] bool shares_memory([[maybe_unused]] int rank) const {
#if LISLE_USE_EXTENSIONS
        int flag = 0;
        detail::check(MPIX_Comm_shares_memory(comm_, rank, &flag), "MPIX_Comm_shares_memory",
                      named_value{"rank", rank});
        return flag != 0;
#else
        return rank == this->rank();
#endif
    }
    /// Ends all ranks.
    [[noreturn]] void abort(int code = 1) const {
        MPI_Abort(comm_, code);
        std::abort();
    }
    /// True for the same communicator, not for a congruent one.
    friend bool operator==(const communicator &a, const communicator &b) noexcept {
        return a.comm_ == b.comm_;
    }

  private:
    /// The result of a call, which is checked after it.
    static owned<communicator> own(int code, const char *call, const MPI_Comm &made) {
        detail::check(code, call);
        return owned<communicator>{made};
    }
};
static_assert(sizeof(communicator) == sizeof(MPI_Comm));

template <class Family, class Communicator>
MPI_Comm detail::collective_calls<Family, Communicator>::comm() const noexcept {
    return static_cast<const Communicator &>(static_cast<const Family &>(*this)).native();
}

/// An intercommunicator: ranks in sends and receives are those of the remote group.
///
///     auto half = world.split(world.rank() % 2);
///     auto other = half.connect(0, world, 1 - world.rank() % 2);
///     other.send(1, 0);
class intercommunicator : public point_to_point {
  public:
    using point_to_point::point_to_point;
    /// For owned<>: the handle of none.
    static MPI_Comm null() noexcept { return MPI_COMM_NULL; }
    /// For owned<>: MPI_Comm_free.
    static void free(MPI_Comm handle) noexcept { MPI_Comm_free(&handle); }

    /// How many ranks the other side has (MPI_Comm_remote_size).
    [[nodiscard]] int remote_size() const {
        int result = 0;
        detail::check(MPI_Comm_remote_size(comm_, &result), "MPI_Comm_remote_size");
        return result;
    }
    /// The ranks of the other side (MPI_Comm_remote_group).
    [[nodiscard]] owned<group> remote_group() const {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Comm_remote_group(comm_, &made), "MPI_Comm_remote_group");
        return owned<group>{made};
    }
    /// One communicator of both groups; the ranks of the side that says `high` come last. Collective.
    [[nodiscard]] owned<communicator> merge(bool high) const {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Intercomm_merge(comm_, high ? 1 : 0, &made), "MPI_Intercomm_merge");
        return owned<communicator>{made};
    }
    /// Waits until all ranks of both groups have come (MPI_Barrier).
    void barrier() const { detail::check(MPI_Barrier(comm_), "MPI_Barrier"); }
};

inline owned<intercommunicator> communicator::connect(int leader, const communicator &bridge,
                                                      int remote_leader, int tag) const {
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Intercomm_create(comm_, leader, bridge.comm_, remote_leader, tag, &made),
                  "MPI_Intercomm_create", named_value{"leader", leader},
                  named_value{"remote leader", remote_leader});
    return owned<intercommunicator>{made};
}

/// All ranks of the program.
inline communicator world() noexcept {
    return communicator{MPI_COMM_WORLD};
}
/// The caller alone.
inline communicator self() noexcept {
    return communicator{MPI_COMM_SELF};
}

} // namespace lisle
