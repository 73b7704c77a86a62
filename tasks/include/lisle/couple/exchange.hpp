// SPDX-License-Identifier: Apache-2.0
// Fields that a router's ranks exchange again and again: each pair of ranks sends one message, with all
// levels of all fields. Data go from the fields' own memory to the fields' own memory; nothing is packed
// here.
//
//     couple::router routes{all, couple::decomposition{points}, mine};
//     couple::exchange heat{all, routes, {}, {couple::field_place::of(flux.data()),
//     couple::field_place::of(air.data(), 20)}}; for (...) {
//         heat.start();
//         compute_what_needs_no_heat();
//         heat.wait();
//     }
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include "lisle/couple/router.hpp"
#include "lisle/datatype/datatype.hpp"

namespace lisle::couple {

/// Where a field lies: an element for each place of the decomposition, on each of its levels.
struct field_place {
    void *data = nullptr;
    MPI_Datatype type = MPI_DATATYPE_NULL; ///< of an element
    std::int64_t levels = 1;
    std::int64_t point_stride = 1; ///< elements from one place to the next
    std::int64_t level_stride =
        0; ///< elements from one level to the next; 0: the levels follow each other whole

    /// Level after level. @param data an element for each place of each level
    template <class T> [[nodiscard]] static field_place of(T *data, std::int64_t levels = 1) {
        return {const_cast<std::remove_const_t<T> *>(data), datatype_of<std::remove_const_t<T>>(), levels};
    }
    /// The levels of a point beside each other.
    template <class T> [[nodiscard]] static field_place of_columns(T *data, std::int64_t levels) {
        return {const_cast<std::remove_const_t<T> *>(data), datatype_of<std::remove_const_t<T>>(), levels,
                levels, 1};
    }
};

class exchange {
  public:
    /// @param all the communicator of the router; messages of several exchanges between the same ranks differ
    /// by their tags
    /// @param sent,received fields of senders and receivers: as many on both sides, with the same types and
    /// levels. Their memory stays where it is for as long as this lives. A rank that sends nothing, or
    /// receives nothing, has none
    exchange(MPI_Comm all, const router &routes, const decomposition &offered, const decomposition &wanted,
             const std::vector<field_place> &sent, const std::vector<field_place> &received, int tag = 0);
    exchange(exchange &&) noexcept;
    exchange &operator=(exchange &&) noexcept;
    ~exchange();

    /// Receives may change and sends must not change from here to wait(). Returns at once.
    void start();
    void wait();
    /// Like wait() if there is nothing to wait for: true then.
    [[nodiscard]] bool is_done();
    void operator()() {
        start();
        wait();
    }

  private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace lisle::couple
