// SPDX-License-Identifier: Apache-2.0
#include "tile/study/traffic.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>

#include "tile/network/random.hpp"

namespace lisle::tile::study {

namespace {

constexpr std::array<std::string_view, 6> names{"uniform", "transpose", "bit-complement",
                                                "tornado", "neighbour", "hotspot"};
constexpr double share_of_hotspot = 0.1;
constexpr double share_of_unsaturated = 0.95; // of what is offered, that a network takes

/// Where a tile's next packet goes.
class destinations {
  public:
    destinations(const mesh_shape &shape, const traffic_options &options)
        : shape_{shape}, options_{options} {}

    [[nodiscard]] int next(int from, random_numbers &random) const {
        const int column = shape_.column(from);
        const int row = shape_.row(from);
        switch (options_.to) {
        case pattern::transpose:
            return shape_.at(row, column);
        case pattern::bit_complement:
            return shape_.at(shape_.width - 1 - column, shape_.height - 1 - row);
        case pattern::tornado:
            return shape_.at((column + (shape_.width - 1) / 2) % shape_.width,
                             (row + (shape_.height - 1) / 2) % shape_.height);
        case pattern::neighbour:
            return shape_.at((column + 1) % shape_.width, (row + 1) % shape_.height);
        case pattern::hotspot:
            if (random.share() < share_of_hotspot) {
                return options_.hotspot;
            }
            break;
        case pattern::uniform:
            break;
        }
        return random.below(shape_.tiles());
    }

  private:
    mesh_shape shape_;
    const traffic_options &options_;
};

/// A tile's packets that the network has not taken.
struct source {
    struct made {
        int to;
        cycle at;
    };
    std::deque<made> packets;
    int written = 0; ///< words of the first one
};

class traffic_run {
  public:
    traffic_run(const parameters &machine, const traffic_options &options)
        : options_{options}, network_{make_network(machine)}, to_{network_->shape(), options},
          sources_(static_cast<std::size_t>(machine.tiles())), random_{
                                                                   static_cast<std::uint64_t>(machine.seed)} {
        network_->measure_latencies();
    }

    traffic_result run() {
        const cycle end = options_.warm_up + options_.measured;
        const cycle limit = end + 2 * options_.measured;
        for (; now_ < end || (network_->packets_measured() < counted_ && now_ < limit); ++now_) {
            for (int tile = 0; tile < static_cast<int>(sources_.size()); ++tile) {
                make(tile);
                write(tile);
                read(tile);
            }
            network_->step(now_);
            if (now_ >= queues_.next()) {
                queues_.look(*network_, now_);
            }
        }
        const double tile_cycles =
            static_cast<double>(options_.measured) * static_cast<double>(sources_.size());
        result_.offered = static_cast<double>(made_words_) / tile_cycles;
        result_.accepted = static_cast<double>(read_words_) / tile_cycles;
        result_.report = report_of(*network_, now_, queues_);
        result_.saturated = result_.report.times.packets() < counted_ ||
                            result_.accepted < share_of_unsaturated * result_.offered;
        return result_;
    }

  private:
    [[nodiscard]] bool measuring() const noexcept {
        return now_ >= options_.warm_up && now_ < options_.warm_up + options_.measured;
    }
    void make(int tile) {
        if (random_.share() < options_.rate / (options_.payload + 1)) {
            sources_[static_cast<std::size_t>(tile)].packets.push_back({to_.next(tile, random_), now_});
            counted_ += measuring() ? 1 : 0;
            made_words_ += measuring() ? options_.payload + 1 : 0;
        }
    }
    void write(int tile) {
        source &from = sources_[static_cast<std::size_t>(tile)];
        if (from.packets.empty() || !network_->has_room(tile)) {
            return;
        }
        const source::made &first = from.packets.front();
        if (from.written == 0) {
            const bool counts =
                first.at >= options_.warm_up && first.at < options_.warm_up + options_.measured;
            network_->date_next(tile, counts ? first.at : network::ignored);
            network_->write(tile, make_header(network_->shape(), first.to, options_.payload), now_);
        } else {
            network_->write(tile, 0, now_);
        }
        if (++from.written == options_.payload + 1) {
            from.written = 0;
            from.packets.pop_front();
        }
    }
    /// All that has come. The header, which the network has taken away, counts with the first word.
    void read(int tile) {
        while (network_->waiting(tile) != 0) {
            static_cast<void>(network_->read(tile));
            read_payload_ += measuring() ? 1 : 0;
        }
        read_words_ = read_payload_ * (options_.payload + 1) / options_.payload;
    }

    const traffic_options &options_;
    std::unique_ptr<network> network_;
    destinations to_;
    std::vector<source> sources_;
    random_numbers random_;
    queue_log queues_;
    traffic_result result_;
    cycle now_ = 0;
    std::int64_t counted_ = 0; ///< packets made while it is measured
    std::int64_t made_words_ = 0, read_payload_ = 0, read_words_ = 0;
};

} // namespace

std::vector<std::string> pattern_names() {
    return {names.begin(), names.end()};
}

pattern pattern_from(std::string_view name, const parameters &machine) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        throw std::invalid_argument("there is no traffic called \"" + std::string(name) + "\"");
    }
    const auto chosen = static_cast<pattern>(found - names.begin());
    if (chosen == pattern::transpose && machine.shape().width != machine.shape().height) {
        throw std::invalid_argument("transpose traffic is for a square of tiles, not " +
                                    std::to_string(machine.shape().width) + " x " +
                                    std::to_string(machine.shape().height));
    }
    return chosen;
}

traffic_result run_traffic(const parameters &machine, const traffic_options &options) {
    if (options.payload < 1 || options.payload > most_payload_words || options.rate <= 0 ||
        options.rate > 1 || options.hotspot < 0 || options.hotspot >= machine.tiles()) {
        throw std::invalid_argument(
            "traffic has a rate above 0, up to 1, 1 to 31 words of payload and a hotspot that "
            "is a tile");
    }
    return traffic_run{machine, options}.run();
}

std::vector<traffic_result> run_curve(const parameters &machine, traffic_options options, double step) {
    std::vector<traffic_result> curve;
    for (int i = 1; i * step < 1 + step / 2; ++i) {
        options.rate = std::min(1.0, i * step);
        curve.push_back(run_traffic(machine, options));
        if (curve.back().saturated) {
            break;
        }
    }
    return curve;
}

} // namespace lisle::tile::study
