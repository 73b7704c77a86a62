// SPDX-License-Identifier: Apache-2.0
// A moved vector changes owner: between ranks of one address space no byte is copied, whatever its size;
// between processes the same calls copy. Messages of hand_over() are met by take_over() only.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"

namespace lisle {

/// Vectors that can change owner: their elements have no padding, so they are the same bytes for everybody.
template <class V>
concept transferable = resizable_range<V> && detail::wire<detail::element_of<V &>>::uniform_type &&
    std::is_same_v<V, std::vector<detail::element_of<V &>>>;

/// Gives a vector away. It is empty afterwards, wherever the other rank lives.
///
///     lisle::hand_over(world, std::move(values), 1);
template <transferable V> void hand_over(const communicator &comm, V &&values, int dest, int tag = 0) {
    V mine = std::exchange(values, V{});
#if LISLE_USE_EXTENSIONS
    auto owner = std::make_unique<V>(std::move(mine));
    const auto bytes = static_cast<MPI_Count>(owner->size() * sizeof(typename V::value_type));
    detail::check(
        MPIX_Send_owned(
            owner->data(), bytes, [](void *, MPI_Count, void *vector) { delete static_cast<V *>(vector); },
            owner.get(), dest, tag, comm.native()),
        "MPIX_Send_owned", named_value{"bytes", bytes}, named_value{"dest", dest}, named_value{"tag", tag});
    static_cast<void>(owner.release());
#else
    comm.send(mine, dest, tag);
#endif
}

/// Takes over a vector of the same type.
///
///     auto values = lisle::take_over<std::vector<double>>(world, 0);
template <transferable V>
[[nodiscard]] V take_over(const communicator &comm, source_rank source, receive_tag tag = any_tag) {
#if LISLE_USE_EXTENSIONS
    void *data = nullptr;
    MPI_Count bytes = 0;
    MPIX_Free_function *release = nullptr;
    void *vector = nullptr;
    status ended;
    detail::check(MPIX_Recv_owned(&data, &bytes, &release, &vector, source.value(), tag.value(),
                                  comm.native(), ended.native()),
                  "MPIX_Recv_owned", named_value{"source", source.value()}, named_value{"tag", tag.value()});
    V values;
    if (ended.source() != no_rank && comm.shares_memory(ended.source())) {
        values = std::move(*static_cast<V *>(vector));
    } else {
        values.resize(static_cast<std::size_t>(bytes) / sizeof(typename V::value_type));
        if (!values.empty())
            std::memcpy(values.data(), data, values.size() * sizeof(typename V::value_type));
    }
    release(data, bytes, vector);
    return values;
#else
    return comm.receive<V>(source, tag);
#endif
}

} // namespace lisle
