// SPDX-License-Identifier: Apache-2.0
// A collective of one's own: a broadcast along a line through all ranks, which runs through the rows of the
// mesh like a snake, so that neighbours on the line are neighbours on the mesh. The root sends in both
// directions; each other rank passes on what it gets, piece by piece.
//
//     c++ -std=c++20 -O2 -shared -fPIC $(pkg-config --cflags lisle-tiles) snake_broadcast.cpp -o
//     snake_broadcast.so
#include <algorithm>
#include <numeric>
#include <vector>

#include "tile/network/extension.hpp"

namespace {

using namespace lisle::tile;

/// The ranks in the order of the line.
std::vector<int> snake(const placed_ranks &among) {
    std::vector<int> line(among.places.size());
    std::iota(line.begin(), line.end(), 0);
    const auto column = [](const placed_ranks::place &at) {
        return at.row % 2 == 0 ? at.column : -at.column;
    };
    std::sort(line.begin(), line.end(), [&](int a, int b) {
        const placed_ranks::place &first = among.places[static_cast<std::size_t>(a)];
        const placed_ranks::place &second = among.places[static_cast<std::size_t>(b)];
        return first.row != second.row ? first.row < second.row : column(first) < column(second);
    });
    return line;
}

class snake_broadcast final : public rank_collectives {
  public:
    [[nodiscard]] bool has(call which) const noexcept override { return which == call::bcast; }
    void bcast(rank_steps &steps, const placed_ranks &among, int root) const override {
        const std::vector<int> line = snake(among);
        const auto place_of = [&](int rank) {
            return std::find(line.begin(), line.end(), rank) - line.begin();
        };
        const auto own = place_of(among.rank);
        const auto first = place_of(root);
        std::vector<int> next; // those that get the data of this rank
        if (own <= first && own > 0) {
            next.push_back(line[static_cast<std::size_t>(own - 1)]);
        }
        if (own >= first && own + 1 < among.size()) {
            next.push_back(line[static_cast<std::size_t>(own + 1)]);
        }
        const elements data = steps.given();
        constexpr std::int64_t pieces = 16;
        for (std::int64_t i = 0; i < pieces; ++i) {
            const std::int64_t begin = data.count * i / pieces;
            const std::int64_t end = data.count * (i + 1) / pieces;
            if (begin == end) {
                continue;
            }
            const elements piece = data.part(begin, end - begin);
            if (own != first) {
                steps.await(
                    steps.receive(piece, line[static_cast<std::size_t>(own < first ? own + 1 : own - 1)]));
            }
            for (const int rank : next) {
                steps.send(piece, rank);
            }
        }
        steps.await_all();
    }
};

std::unique_ptr<rank_collectives> make() {
    return std::make_unique<snake_broadcast>();
}

} // namespace

extern "C" const extension lisle_tile_extension{.make_collectives = make};
