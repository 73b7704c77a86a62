// SPDX-License-Identifier: Apache-2.0
// The shadow of a communicator: a private duplicate for messages of the headers, which no receive of the
// program can match. Made at the first use, which is always inside a collective, and freed with the
// communicator. With Lisle's extensions making it is local; otherwise all ranks wait for each other, also in
// a non-blocking collective.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lisle/detail/error.hpp"
#include "lisle/detail/rank_data.hpp"

namespace lisle::detail {

/// Tags on it.
enum shadow_tag : int {
    collective_tag = 1, ///< of all non-blocking collectives: all ranks start them in one order
    first_sparse_tag = 10,
    first_neighbour_tag = 16, ///< one for each direction of a grid
    object_tag = 1000,        ///< in trees(): an object
    first_failed_tag,         ///< plus the number of a rank: that rank has failed
};

struct shadow {
    MPI_Comm comm = MPI_COMM_NULL;
    unsigned rounds = 0; ///< of sparse exchanges: neighbouring rounds use different tags

    /// That of `comm`. @pre all ranks of the communicator are calling it
    static shadow &of(MPI_Comm comm);
};

/// A key for the attribute that holds shadows.
struct shadow_key {
    int value = MPI_KEYVAL_INVALID;

    shadow_key() {
        check(MPI_Comm_create_keyval(
                  MPI_COMM_NULL_COPY_FN,
                  [](MPI_Comm, int, void *attribute, void *) -> int {
                      auto *const doomed = static_cast<shadow *>(attribute);
                      const int code = MPI_Comm_free(&doomed->comm);
                      delete doomed;
                      return code;
                  },
                  &value, nullptr),
              "MPI_Comm_create_keyval");
    }
    shadow_key(const shadow_key &) = delete;
    shadow_key &operator=(const shadow_key &) = delete;
    ~shadow_key() { MPI_Comm_free_keyval(&value); }
};

inline shadow &shadow::of(MPI_Comm comm) {
    const int key = rank_object<shadow_key>().value;
    void *found = nullptr;
    int flag = 0;
    check(MPI_Comm_get_attr(comm, key, &found, &flag), "MPI_Comm_get_attr");
    if (flag == 0) {
        MPI_Comm made = MPI_COMM_NULL;
#if LISLE_USE_EXTENSIONS
        check(MPIX_Comm_shadow(comm, &made), "MPIX_Comm_shadow");
#else
        check(MPI_Comm_dup(comm, &made), "MPI_Comm_dup");
#endif
        auto *const kept = new shadow{made};
        const int code = MPI_Comm_set_attr(comm, key, kept); // which frees it in the end
        if (code != MPI_SUCCESS)
            delete kept;
        check(code, "MPI_Comm_set_attr");
        found = kept;
    }
    return *static_cast<shadow *>(found);
}

/// The communicator of blocking collectives that are made of messages. From each rank they come in the order
/// of the calls, and non-blocking collectives that were begun before have posted receives for theirs, so the
/// next message of a rank belongs to the current call, whatever its tag says. Where receives wait unposted,
/// these messages have a communicator of their own. @pre all ranks of the communicator are calling it
inline MPI_Comm trees(MPI_Comm comm) {
    const MPI_Comm own = shadow::of(comm).comm;
    if constexpr (has_extensions)
        return own;
    else
        return shadow::of(own).comm;
}

/// With LISLE_CHECKS=2: throws unless all ranks have called the same collective with the same root, size of
/// an element and operation. Costs one small allreduce.
inline void agree([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] const char *call,
                  [[maybe_unused]] int root, [[maybe_unused]] std::size_t element,
                  [[maybe_unused]] long long operation = 0) {
    if constexpr (check_level >= 2) {
        long long name = 5381;
        for (const char *letter = call; *letter != 0; ++letter)
            name = (name * 33 + *letter) & 0xffffffff;
        const auto size = static_cast<long long>(element);
        // Minima of the values and of their opposites: all are equal if the two add up to nothing.
        const long long said[8] = {name, -name, root,      -static_cast<long long>(root),
                                   size, -size, operation, -operation};
        long long least[8];
        check(MPI_Allreduce(said, least, 8, MPI_LONG_LONG, MPI_MIN, shadow::of(comm).comm), "MPI_Allreduce");
        if (least[0] != -least[1])
            raise_final(MPI_ERR_OTHER, call, {},
                        "the ranks of the communicator have called different collectives");
        if (least[2] != -least[3])
            raise_final(MPI_ERR_ROOT, call,
                        {{"root here", root}, {"least root", least[2]}, {"greatest root", -least[3]}},
                        "the ranks of the communicator have named different roots");
        if (least[4] != -least[5])
            raise_final(MPI_ERR_TYPE, call,
                        {{"bytes of an element here", size}, {"least", least[4]}, {"greatest", -least[5]}},
                        "the ranks of the communicator have given elements of different types");
        if (least[6] != -least[7])
            raise_final(
                MPI_ERR_OP, call, {},
                "the ranks of the communicator have given different operations, or such as commute for some "
                "ranks only");
    }
}

} // namespace lisle::detail
