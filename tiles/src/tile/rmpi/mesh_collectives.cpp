// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/mesh_collectives.hpp"

#include <algorithm>
#include <cmath>

#include "tile/rmpi/mesh_tree.hpp"

namespace lisle::tile::rmpi {

namespace {

/// How data flow: all ranks compute the same one.
struct flow_plan {
    tree_place place;
    std::size_t part; ///< words
};

/// Cycles that a pipeline takes: each rank passes on all parts, and the last one is `depth` ranks behind.
struct pipeline {
    double depth;
    double cycles_of_word; ///< in the busiest rank
    [[nodiscard]] std::size_t best_part(std::size_t words) const {
        constexpr double headers = 2; // the hardware's and ours
        const double best = std::sqrt(headers * static_cast<double>(words) / std::max(1.0, depth));
        return std::clamp<std::size_t>(static_cast<std::size_t>(best), 4, most_part_words);
    }
    [[nodiscard]] double cycles(std::size_t words) const {
        const auto part = static_cast<double>(best_part(words));
        return (static_cast<double>(words) / part + depth) * (part + 2) * cycles_of_word;
    }
};

flow_plan plan_flow(endpoint &self, int root, std::size_t words) {
    const mesh_shape &shape = self.here().shape();
    const parameters &costs = self.here().costs();
    const auto send = static_cast<double>(costs.send_word_cycles);
    const auto receive = static_cast<double>(costs.receive_word_cycles);
    const int rows = (self.size() + shape.width - 1) / shape.width;
    const pipeline path{self.size() / 2.0, receive + send};
    const pipeline cross{(rows + std::min(self.size(), shape.width)) / 2.0, receive + 3 * send};
    if (path.cycles(words) <= cross.cycles(words)) {
        return {place_on_path(shape, self.tiles(), root, self.rank()), path.best_part(words)};
    }
    return {place_on_cross(shape, self.tiles(), root, self.rank()), cross.best_part(words)};
}

/// Streams are open for the length of a block.
class open_streams {
  public:
    explicit open_streams(endpoint &of) : port_{streams_of(of)} { port_.begin_streams(); }
    ~open_streams() { port_.end_streams(); }
    open_streams(const open_streams &) = delete;
    open_streams &operator=(const open_streams &) = delete;
    stream_port *operator->() const noexcept { return &port_; }

  private:
    stream_port &port_;
};

} // namespace

void broadcast_on_mesh(endpoint &self, int root, std::span<word> data) {
    const in_phase booked{self.here(), phase::library};
    self.here().work(self.here().costs().call_cycles);
    const flow_plan plan = plan_flow(self, root, data.size());
    const open_streams streams{self};
    for (std::span<word> rest = data; !rest.empty();) {
        const std::span<word> part = rest.first(std::min(plan.part, rest.size()));
        if (plan.place.parent != -1) {
            const in_phase receiving{self.here(), phase::receive};
            streams->receive_part(plan.place.parent, part);
        }
        const in_phase sending{self.here(), phase::send};
        for (const int child : plan.place.children) {
            streams->send_part(child, part);
        }
        rest = rest.subspan(part.size());
    }
}

void reduce_on_mesh(endpoint &self, int root, std::span<const word> mine, std::span<word> result,
                    combiner combine) {
    const in_phase booked{self.here(), phase::library};
    self.here().work(self.here().costs().call_cycles);
    const flow_plan plan = plan_flow(self, root, mine.size());
    const open_streams streams{self};
    std::array<word, most_part_words> sum;
    std::array<word, most_part_words> theirs;
    for (std::size_t done = 0; done < mine.size();) {
        const std::size_t words = std::min(plan.part, mine.size() - done);
        std::copy_n(mine.begin() + static_cast<std::ptrdiff_t>(done), words, sum.begin());
        for (const int child : plan.place.children) {
            const in_phase receiving{self.here(), phase::receive};
            streams->receive_part(child, theirs);
            self.here().work(self.here().costs().copy_word_cycles * static_cast<cycle>(words));
            std::transform(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(words), theirs.begin(),
                           sum.begin(), combine);
        }
        if (plan.place.parent != -1) {
            const in_phase sending{self.here(), phase::send};
            streams->send_part(plan.place.parent, std::span(sum).first(words));
        } else {
            std::copy_n(sum.begin(), words, result.begin() + static_cast<std::ptrdiff_t>(done));
        }
        done += words;
    }
}

int middle_rank(const endpoint &self) {
    const mesh_shape &shape = self.here().shape();
    double column = 0;
    double row = 0;
    for (const int tile : self.tiles()) {
        column += shape.column(tile);
        row += shape.row(tile);
    }
    column /= self.size();
    row /= self.size();
    const auto distance = [&](int tile) {
        return std::abs(shape.column(tile) - column) + std::abs(shape.row(tile) - row);
    };
    const auto nearest = std::min_element(self.tiles().begin(), self.tiles().end(),
                                          [&](int a, int b) { return distance(a) < distance(b); });
    return static_cast<int>(nearest - self.tiles().begin());
}

} // namespace lisle::tile::rmpi
