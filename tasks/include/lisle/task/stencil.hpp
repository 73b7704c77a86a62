// SPDX-License-Identifier: Apache-2.0
// Exchanges of a rank of a grid with its neighbours, over any transport: bridges, MPI, or one rank alone.
//
//     const auto between = tasks::make_bridges(MPI_COMM_WORLD, {.receivers = 3});
//     tasks::stencil around{*between, tasks::grid{4, 4}};
//     const auto halo = around.exchange(edges);                                 // to and from eight
//     directions const double most = around.reduce(mine, [](double a, double b) { return std::max(a, b); });
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <span>
#include <type_traits>
#include <vector>

#include "lisle/task/grid.hpp"
#include "lisle/task/transport.hpp"

namespace lisle::tasks {

/// A rank among its neighbours. While it exists it has the transport to itself. One thread uses it.
class stencil {
  public:
    /// One element for each direction, in the order of grid::offsets.
    template <class T> using around = std::array<T, grid::directions>;

    /// Throws std::invalid_argument unless the grid has one member for each rank of the transport.
    stencil(transport &between, const grid &where) : between_{between}, where_{where} {
        if (where.size() != between.ranks()) {
            throw std::invalid_argument{"a grid of " + std::to_string(where.size()) + " members for " +
                                        std::to_string(between.ranks()) + " ranks"};
        }
    }

    /// Sends a part to each neighbour, and gives what each has sent here. The parts may differ in length. In
    /// a direction where there is nobody nothing is sent, and nothing comes. Every rank of the grid calls it.
    template <class T> around<std::vector<T>> exchange(const around<std::span<const T>> &parts) {
        static_assert(std::is_trivially_copyable_v<T>, "parts are made of objects that are copied as bytes");
        around<std::vector<T>> got;
        for (int direction = 0; direction < grid::directions; ++direction) {
            send(direction, std::as_bytes(parts[static_cast<std::size_t>(direction)]));
        }
        for (int direction = 0; direction < grid::directions; ++direction) {
            const std::vector<std::byte> bytes = receive(direction);
            std::vector<T> &part = got[static_cast<std::size_t>(direction)];
            part.resize(bytes.size() / sizeof(T));
            std::copy_n(bytes.begin(), part.size() * sizeof(T),
                        std::as_writable_bytes(std::span{part}).begin());
        }
        while (!between_.has_sent_all()) { // the others are in this call, too, and take it
            between_.poll([this](int, std::span<const std::byte> parcel) { keep(parcel); });
        }
        return got;
    }

    /// Combines this rank's value with the values of its neighbours, each once and in the order of their
    /// numbers. Every rank of the grid calls it.
    template <class T, class Operation> T reduce(const T &mine, Operation combine) {
        around<std::span<const T>> parts;
        parts.fill(std::span{&mine, 1});
        const auto values = exchange<T>(parts);
        T all = mine;
        for (const int other : where_.neighbours(between_.rank())) {
            for (int direction = 0; direction < grid::directions; ++direction) {
                if (where_.neighbour(between_.rank(), direction) == other) {
                    all = combine(all, values[static_cast<std::size_t>(direction)].at(0));
                    break;
                }
            }
        }
        return all;
    }

  private:
    [[nodiscard]] std::deque<std::vector<std::byte>> &arrived_from(int direction) {
        return arrived_.at(static_cast<std::size_t>(direction));
    }

    // A parcel is the part, and the direction that it comes from as its receiver sees it.
    void send(int direction, std::span<const std::byte> part) {
        const int to = where_.neighbour(between_.rank(), direction), from = grid::opposite(direction);
        if (to == between_.rank()) {
            arrived_from(from).emplace_back(part.begin(), part.end());
        } else if (to >= 0) {
            std::vector<std::byte> parcel(1 + part.size());
            parcel[0] = static_cast<std::byte>(from);
            std::ranges::copy(part, parcel.begin() + 1);
            between_.send(to, std::move(parcel));
        }
    }

    void keep(std::span<const std::byte> parcel) {
        arrived_from(std::to_integer<int>(parcel[0])).emplace_back(parcel.begin() + 1, parcel.end());
    }

    // A neighbour may be one exchange ahead: its parcels wait in line.
    std::vector<std::byte> receive(int direction) {
        if (where_.neighbour(between_.rank(), direction) < 0) {
            return {};
        }
        auto &line = arrived_from(direction);
        while (line.empty()) {
            between_.wait([this](int, std::span<const std::byte> parcel) { keep(parcel); });
        }
        std::vector<std::byte> part = std::move(line.front());
        line.pop_front();
        return part;
    }

    transport &between_;
    const grid where_;
    around<std::deque<std::vector<std::byte>>> arrived_;
};

} // namespace lisle::tasks
