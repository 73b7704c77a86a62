// SPDX-License-Identifier: Apache-2.0
// Scatter for a root that does not have one object for each rank. The other ranks wait for an object in a
// call that can give them nothing else, so the root scatters objects that begin with a mark, and sends a
// message that says what the mark means. A rank whose object begins with the mark waits for that message; a
// root with an object that has the mark by chance sends it too. So a correct scatter costs one comparison at
// each rank, and one for each object at the root.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "lisle/collective/failure.hpp"

namespace lisle::detail {

/// The bytes of a direct object's first number. They have no padding, so all of them are sent.
struct first_number {
    const unsigned char *address;
    std::size_t bytes;
};
template <direct T> first_number first_number_of(const T &object) noexcept {
    if constexpr (basic<T> || send_as_bytes<T>) {
        return {reinterpret_cast<const unsigned char *>(std::addressof(object)),
                std::min(sizeof(T), std::size_t{8})};
    } else if constexpr (array_traits<T>::value) {
        return first_number_of(object[0]);
    } else {
        return visit_fields(object,
                            [](const auto &first, const auto &...) { return first_number_of(first); });
    }
}

inline constexpr std::array<unsigned char, 8> scatter_mark{0xd7, 0x4e, 0x91, 0x3b, 0xa8, 0x6d, 0xf3, 0x5c};

template <direct T> bool is_marked(const T &object) noexcept {
    const first_number number = first_number_of(object);
    return std::memcmp(number.address, scatter_mark.data(), number.bytes) == 0;
}

/// Called by the root instead of its scatter: all others throw.
template <direct T> void refuse_scatter(int ranks, int root, MPI_Comm comm) {
    std::vector<T> marked(static_cast<std::size_t>(ranks));
    for (T &each : marked) {
        const first_number number = first_number_of(each);
        std::memcpy(const_cast<unsigned char *>(number.address), scatter_mark.data(), number.bytes);
    }
    const MPI_Comm own = trees(comm);
    T mine{};
    check(MPI_Scatter_c(marked.data(), wire<T>::count, wire<T>::type(), &mine, wire<T>::count,
                        wire<T>::type(), root, comm),
          "MPI_Scatter", named_value{"root", root});
    for (int other = 0; other < ranks; ++other)
        if (other != root)
            send_failure(root, other, own);
}

/// Called by the root after its scatter: objects with the mark are data.
template <class Objects> void confirm_marked(const Objects &all, int root, MPI_Comm comm) {
    int rank = 0;
    for (const auto &object : all) {
        if (is_marked(object) && rank != root) [[unlikely]]
            check(MPI_Send(nullptr, 0, MPI_BYTE, rank, object_tag, trees(comm)), "MPI_Send",
                  named_value{"dest", rank});
        ++rank;
    }
}

/// Called by the other ranks. Throws if the root had no object for each rank.
template <direct T> void require_meant(const T &object, int root, MPI_Comm comm) {
    if (!is_marked(object)) [[likely]]
        return;
    status word;
    check(MPI_Recv(nullptr, 0, MPI_BYTE, root, MPI_ANY_TAG, trees(comm), word.native()), "MPI_Recv",
          named_value{"root", root});
    if (word.tag() != object_tag)
        raise(MPI_ERR_COUNT, "lisle::scatter", {{"root", root}},
              "the root has not one object for each rank: scatterv deals out any number");
}

} // namespace lisle::detail
