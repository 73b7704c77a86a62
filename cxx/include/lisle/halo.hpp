// SPDX-License-Identifier: Apache-2.0
// Ghost cells: the edges of a rank's block of a grid go to all neighbours at once, those across corners too.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "lisle/topology.hpp"

namespace lisle {

namespace detail {

/// One of the directions of a grid: for each dimension -1, 0 or 1.
template <std::size_t Rank> class grid_direction {
  public:
    enum class side : bool { ghosts, edge };
    static constexpr int count = [] {
        int product = 1;
        for (std::size_t i = 0; i < Rank; ++i)
            product *= 3;
        return product;
    }();

    explicit grid_direction(int number) : number_{number} {
        for (int &step : steps_) {
            step = number % 3 - 1;
            number /= 3;
        }
    }
    [[nodiscard]] bool nowhere() const noexcept { return number_ == opposite(); }
    /// The number of the direction back.
    [[nodiscard]] int opposite() const noexcept { return count - 1 - number_; }
    /// The rank there; no_rank beyond an edge of the grid.
    [[nodiscard]] int from(const cartesian &grid) const {
        const std::vector<int> extents = grid.extents();
        const std::vector<bool> periodic = grid.periodic();
        std::vector<int> place = grid.coordinates(grid.rank());
        for (std::size_t i = 0; i < Rank; ++i) {
            place[i] += steps_[i];
            if (!periodic[i] && (place[i] < 0 || place[i] >= extents[i]))
                return no_rank;
        }
        return grid.rank_at(place);
    }
    /// The cells on that side of a view with ghost cells all around: these, or the edge of the block.
    template <class View> auto part(const View &cells, std::size_t width, side of) const {
        using element = std::remove_pointer_t<decltype(&*cells.data_handle())>;
        std::ptrdiff_t extents[Rank];
        std::ptrdiff_t strides[Rank];
        element *first = &*cells.data_handle();
        const auto deep = static_cast<std::ptrdiff_t>(width);
        for (std::size_t i = 0; i < Rank; ++i) {
            const auto all = static_cast<std::ptrdiff_t>(cells.extent(i));
            strides[i] = static_cast<std::ptrdiff_t>(cells.stride(i));
            extents[i] = steps_[i] == 0 ? all - 2 * deep : deep;
            const std::ptrdiff_t inner = of == side::edge ? deep : 0;
            first += strides[i] * (steps_[i] == 0 ? deep : steps_[i] < 0 ? inner : all - deep - inner);
        }
        return strided<element, Rank>{first, extents, strides};
    }

  private:
    int number_;
    std::array<int, Rank> steps_{};
};

} // namespace detail

/// The ghost cells around a block of a grid: a view of the block and of `width` cells on each side of it,
/// which are the neighbours' edges. The view is a std::mdspan, Kokkos's, lisle::strided or one of the same
/// interface, with a dimension for each of the grid's. Neighbours have blocks of the same extents in the
/// dimensions that they share. Beyond an edge of the grid there is nobody, and cells there stay as they are.
///
///     auto grid = lisle::cartesian::create(world, {2, 2});
///     std::mdspan plate{cells.data(), rows + 2, columns + 2};
///     lisle::halo ghosts{grid, plate, 1};
///     for (int step = 0; step < steps; ++step) {
///         ghosts.start();        // the eight messages to the neighbours, and the eight from them
///         compute_inner(plate);
///         ghosts.wait();
///         compute_edges(plate);
///     }
class halo {
  public:
    /// Prepares the messages. Collective. The cells must live as long as this object; what the view itself
    /// is may be a temporary.
    template <multidimensional_view View> halo(const cartesian &grid, const View &cells, std::size_t width)
        : comm_{grid.dup()} {
        using direction = detail::grid_direction<View::rank()>;
        if (!fits(grid, cells, width))
            return;
        for (int number = 0; number < direction::count; ++number) {
            const direction towards{number};
            if (towards.nowhere())
                continue;
            const int neighbour = towards.from(grid);
            if (neighbour == no_rank)
                continue;
            // What I send there is where the neighbour sees the opposite direction.
            auto ghosts = towards.part(cells, width, direction::side::ghosts);
            auto edge = towards.part(cells, width, direction::side::edge);
            messages_.push_back(comm_.receive_init(borrow(ghosts), neighbour, towards.opposite()));
            messages_.push_back(comm_.send_init(borrow(edge), neighbour, number));
        }
    }
    /// The edges may be read from now on, and ghost cells be written, until wait() returns.
    void start() {
        for (persistent &message : messages_)
            message.start();
    }
    /// The ghost cells are there, and the edges may change.
    void wait() {
        for (persistent &message : messages_)
            message.wait();
    }
    /// start() and wait().
    void exchange() {
        start();
        wait();
    }
    /// Messages in each round: two for each neighbour.
    [[nodiscard]] std::size_t messages() const noexcept { return messages_.size(); }

  private:
    template <class View> static bool fits(const cartesian &grid, const View &cells, std::size_t width) {
        constexpr auto rank = static_cast<int>(View::rank());
        if (const int dimensions = grid.dimensions(); dimensions != rank) {
            detail::raise(MPI_ERR_DIMS, "lisle::halo", {{"dimensions", rank}, {"of the grid", dimensions}},
                          "the view and the grid must have the same number of dimensions");
            return false;
        }
        for (std::size_t dimension = 0; dimension < View::rank(); ++dimension)
            if (cells.extent(dimension) < 3 * width) {
                detail::raise(MPI_ERR_ARG, "lisle::halo",
                              {{"dimension", static_cast<long long>(dimension)},
                               {"cells", static_cast<long long>(cells.extent(dimension))},
                               {"width", static_cast<long long>(width)}},
                              "the view must have the ghost cells of both sides and an edge between them");
                return false;
            }
        return true;
    }

    owned<communicator> comm_; ///< whose messages are these alone
    std::vector<persistent> messages_;
};

} // namespace lisle
