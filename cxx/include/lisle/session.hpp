// SPDX-License-Identifier: Apache-2.0
// Sessions: MPI for a part of a program, without MPI_Init and without MPI_COMM_WORLD.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lisle/environment.hpp"
#include "lisle/info.hpp"

#if !defined(MPI_SESSION_NULL)
#error "lisle/session.hpp needs sessions, which MPI 4.0 brought and this MPI has not"
#include <lisle/nothing after the error above>
#endif

namespace lisle {

/// MPI from construction to destruction, for the part of a program that holds the object: several parts may
/// have sessions of their own at the same time, beside an environment or without one. Groups and
/// communicators of a session must be gone before it. Errors become exceptions.
///
///     lisle::session mine;
///     auto all = mine.communicator("mpi://WORLD", "solver");
///     int sum = all.allreduce(1, std::plus<>{});
class session {
  public:
    explicit session(threads wanted = threads::multiple) : session{info{}, wanted} {}
    explicit session(const info &hints, threads wanted = threads::multiple) {
        info with_level = hints;
        with_level.set("thread_level", name_of(wanted));
        detail::check(MPI_Session_init(with_level.native(), MPI_ERRORS_RETURN, &handle_), "MPI_Session_init");
    }
    session(session &&other) noexcept : handle_{std::exchange(other.handle_, MPI_SESSION_NULL)} {}
    session &operator=(session &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    /// Waits for the ranks that share communicators of the session. [11.2.2]
    ~session() {
        if (handle_ != MPI_SESSION_NULL)
            MPI_Session_finalize(&handle_);
    }

    /// The names of the sets of ranks that the session knows: "mpi://WORLD" and "mpi://SELF" always.
    [[nodiscard]] std::vector<std::string> process_sets() const {
        int count = 0;
        detail::check(MPI_Session_get_num_psets(handle_, MPI_INFO_NULL, &count), "MPI_Session_get_num_psets");
        std::vector<std::string> names(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i)
            names[static_cast<std::size_t>(i)] = name_of_set(i);
        return names;
    }
    /// What MPI says of a set, the number of its ranks ("mpi_size") among it.
    [[nodiscard]] info describe(const std::string &set) const {
        MPI_Info said = MPI_INFO_NULL;
        detail::check(MPI_Session_get_pset_info(handle_, set.c_str(), &said), "MPI_Session_get_pset_info");
        return info{said};
    }
    /// The ranks of a set.
    [[nodiscard]] owned<lisle::group> group(const std::string &set = "mpi://WORLD") const {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_from_session_pset(handle_, set.c_str(), &made),
                      "MPI_Group_from_session_pset");
        return owned<lisle::group>{made};
    }
    /// A communicator of the ranks of a set, all of which call this. Parts of a program that may do so at the
    /// same time give different tags.
    [[nodiscard]] owned<lisle::communicator> communicator(const std::string &set = "mpi://WORLD",
                                                          const std::string &tag = "lisle") const {
        return communicator_of(group(set), tag);
    }
    /// A communicator of a group, all of whose ranks call this.
    [[nodiscard]] static owned<lisle::communicator>
    communicator_of(const lisle::group &ranks, const std::string &tag = "lisle", const info &hints = {}) {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(
            MPI_Comm_create_from_group(ranks.native(), tag.c_str(), hints.native(), MPI_ERRORS_RETURN, &made),
            "MPI_Comm_create_from_group");
        return owned<lisle::communicator>{made};
    }
    /// The handle, for calls of C.
    [[nodiscard]] MPI_Session native() const noexcept { return handle_; }

  private:
    static const char *name_of(threads level) noexcept {
        switch (level) {
        case threads::single:
            return "MPI_THREAD_SINGLE";
        case threads::funneled:
            return "MPI_THREAD_FUNNELED";
        case threads::serialized:
            return "MPI_THREAD_SERIALIZED";
        default:
            return "MPI_THREAD_MULTIPLE";
        }
    }
    [[nodiscard]] std::string name_of_set(int number) const {
        int length = 0; // with the zero at the end
        detail::check(MPI_Session_get_nth_pset(handle_, MPI_INFO_NULL, number, &length, nullptr),
                      "MPI_Session_get_nth_pset");
        std::string name(static_cast<std::size_t>(length), '\0');
        detail::check(MPI_Session_get_nth_pset(handle_, MPI_INFO_NULL, number, &length, name.data()),
                      "MPI_Session_get_nth_pset");
        name.resize(name.find_last_not_of('\0') + 1);
        return name;
    }

    MPI_Session handle_ = MPI_SESSION_NULL;
};

} // namespace lisle
