// SPDX-License-Identifier: Apache-2.0
#include "tile/study/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lisle::tile::study {

namespace {

void check(const std::optional<standstill> &stopped) {
    if (stopped) {
        throw stood_still{describe(*stopped)};
    }
}

cycle cycles_of(const set_up &with, const rmpi::rank_map &tiles, const rmpi::rank_program &run) {
    tile_array array{with.built};
    check(rmpi::run_ranks(array, tiles, with.with, run));
    return array.model().now();
}

/// Two neighbours in different rows where there are several: tiles 3 and 7 of the thesis's mesh.
rmpi::rank_map neighbours(const set_up &with) {
    const int width = static_cast<int>(with.built.width);
    return with.built.height > 1 ? rmpi::rank_map{width - 1, 2 * width - 1} : rmpi::rank_map{0, 1};
}

word add(word a, word b) {
    return a + b;
}

} // namespace

rmpi::rank_map set_up::tiles_for(int ranks) const {
    const mesh_shape shape = built.shape();
    return compact_map ? rmpi::map_compactly(shape, ranks) : rmpi::map_in_rows(shape, ranks);
}

cycle message_cycles(const set_up &with, std::size_t words) {
    return cycles_of(with, neighbours(with), [&](rmpi::endpoint &self) {
        std::vector<word> data(words);
        if (self.rank() == 0) {
            self.send(1, 0, 0, data);
        } else {
            self.receive(0, 0, 0, data);
        }
    });
}

cycle bare_packets_cycles(const set_up &with, std::size_t words) {
    tile_array array{with.built};
    const rmpi::rank_map tiles = neighbours(with);
    check(array.run([&](core &here) {
        std::vector<word> data(words);
        const parameters &costs = here.costs();
        if (here.tile() == tiles[0]) {
            const std::span<const word> all{data};
            for (std::size_t done = 0; done < words;) {
                const std::size_t some = std::min<std::size_t>(words - done, most_payload_words);
                here.work(costs.packet_cycles);
                rmpi::send_packet(here, tiles[1], {}, all.subspan(done, some), costs.send_word_cycles);
                done += some;
            }
        } else if (here.tile() == tiles[1]) {
            here.receive(data, costs.receive_word_cycles, tiles[0]);
        }
    }));
    return array.model().now();
}

cycle ping_pong_cycles(const set_up &with, std::size_t words) {
    return cycles_of(with, with.tiles_for(2), [&](rmpi::endpoint &self) {
        std::vector<word> data(words);
        if (self.rank() == 0) {
            self.send(1, 0, 0, data);
            self.receive(1, 0, 0, data);
        } else {
            self.receive(0, 0, 0, data);
            self.send(0, 0, 0, data);
        }
    });
}

cycle collective_cycles(const set_up &with, collective which, rmpi::algorithm algorithm, int ranks,
                        std::size_t words) {
    const int root = set_up::root_for(ranks);
    return cycles_of(with, with.tiles_for(ranks), [&](rmpi::endpoint &self) {
        std::vector<word> mine(words, 1);
        std::vector<word> all(words * static_cast<std::size_t>(ranks));
        switch (which) {
        case collective::broadcast:
            rmpi::broadcast(self, algorithm, root, mine);
            break;
        case collective::scatter:
            rmpi::scatter(self, root, all, mine);
            break;
        case collective::gather:
            rmpi::gather(self, root, mine, all);
            break;
        case collective::reduce:
            rmpi::reduce(self, algorithm, root, mine, std::span(all).first(words), add);
            break;
        case collective::allgather:
            rmpi::allgather(self, algorithm, mine, all);
            break;
        case collective::allreduce:
            rmpi::allreduce(self, algorithm, mine, std::span(all).first(words), add);
            break;
        }
    });
}

application_speed measure(const set_up &with, const application_maker &make, const std::vector<int> &tiles) {
    application_speed speed;
    speed.tiles = tiles;
    std::vector<float> serial;
    for (const int ranks : tiles) {
        const std::unique_ptr<application> app = make();
        speed.name = app->name();
        const cycle cycles =
            cycles_of(with, with.tiles_for(ranks), [&](rmpi::endpoint &self) { app->run(self); });
        const std::vector<float> &answer = app->answer();
        if (serial.empty()) {
            serial = answer;
        }
        bool same = serial.size() == answer.size();
        for (std::size_t i = 0; same && i < serial.size(); ++i) {
            same = std::abs(answer[i] - serial[i]) <= app->tolerance() * std::abs(serial[i]);
        }
        speed.runs.push_back({cycles, same});
    }
    return speed;
}

double fitted_exponent(const std::vector<double> &words, const std::vector<double> &cycles) {
    const auto count = static_cast<double>(words.size());
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const double lx = std::log(words[i]);
        const double ly = std::log(cycles[i]);
        x += lx;
        y += ly;
        xx += lx * lx;
        xy += lx * ly;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

} // namespace lisle::tile::study
