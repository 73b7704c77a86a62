// SPDX-License-Identifier: Apache-2.0
// Objects of unknown size as MPI.NET sends them, for comparison: a header with the size travels on the
// program's communicator, the data on a shadow of it, under a tag that the header names. Two messages for
// each object, but nothing beyond MPI-1. Invariant: a tag of the shadow belongs to one object under way, so
// neither threads nor wildcards can take one object's data for another's.
#pragma once

#include <atomic>
#include <utility>

#include "lisle/communicator.hpp"

namespace lisle {

/// A communicator with a shadow. send() and receive() of the communicator itself do the same in one message.
///
///     lisle::two_messages pair{world};
///     if (world.rank() == 0)
///         pair.send(std::vector{1, 2, 3}, 1);
///     else
///         auto values = pair.receive<std::vector<int>>(lisle::any_source);
class two_messages {
  public:
    /// Makes the shadow. Collective.
    explicit two_messages(const communicator &comm) : headers_{comm}, shadow_{comm.dup()} {}

    /// A header with the length, then the object.
    template <object_to_send T> void send(const T &object, int dest, int tag = 0) {
        if constexpr (direct_buffer<const T &>) {
            const auto data = as_buffer(object);
            MPI_Count size = 0;
            detail::check(MPI_Type_size_c(data.type, &size), "MPI_Type_size");
            // Relaxed: only the numbers of objects under way have to differ.
            const unsigned number = sent_.fetch_add(1, std::memory_order_relaxed);
            const header said{data.count * size, static_cast<int>(number % tags)};
            headers_.send(said, dest, tag);
            shadow_.send(object, dest, said.tag);
        } else {
            send(detail::to_bytes(object), dest, tag);
        }
    }

    /// A header and what it announces.
    template <class T> [[nodiscard]] T receive(source_rank source, receive_tag tag = any_tag) {
        const auto [said, status] = headers_.template receive_with_status<header>(source, tag);
        if (status.source() == no_rank)
            return T{};
        if constexpr (direct<T>) {
            return shadow_.template receive<T>(status.source(), said.tag);
        } else {
            detail::landing<T> landed;
            const MPI_Datatype type = detail::element_type<detail::landing<T>>();
            MPI_Count size = 0;
            detail::check(MPI_Type_size_c(type, &size), "MPI_Type_size");
            void *const place = detail::make_room(landed, said.bytes / size);
            detail::check(MPI_Recv_c(place, said.bytes / size, type, status.source(), said.tag,
                                     shadow_.native(), MPI_STATUS_IGNORE),
                          "MPI_Recv", named_value{"source", status.source()},
                          named_value{"bytes", said.bytes});
            return detail::unwrap<T>(std::move(landed), *status.native());
        }
    }

  private:
    struct header {
        MPI_Count bytes;
        int tag;
    };
    static constexpr unsigned tags = 32768; ///< the fewest that MPI guarantees

    communicator headers_;
    owned<communicator> shadow_;
    std::atomic<unsigned> sent_{0};
};

} // namespace lisle
