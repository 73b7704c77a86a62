// SPDX-License-Identifier: Apache-2.0
// Where a program's time goes: regions inside regions and counters, gathered over all ranks, as a table and
// as JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"
#include "lisle/environment.hpp"

namespace lisle {

/// What all ranks have measured of one region or counter.
struct measured {
    std::vector<std::string> path;       ///< its name, after those of the regions around it
    bool counter = false;                ///< the values are a program's; else seconds
    int ranks = 0;                       ///< how many have it
    long long calls = 0;                 ///< in all ranks
    double least = 0, sum = 0, most = 0; ///< a rank's values over all its calls
    int rank_of_most = 0;
    /// The mean of the ranks' values.
    [[nodiscard]] double mean() const noexcept { return sum / ranks; }
};

/// What timers::gather() makes of the measurements of all ranks.
class timer_report {
  public:
    /// In the order in which ranks have begun them, the lower ranks first; regions before what is in them.
    [[nodiscard]] const std::vector<measured> &all() const noexcept { return all_; }

    /// For people: a line for each region or counter, indented by what is around it.
    [[nodiscard]] std::string table() const {
        std::size_t width = 6;
        for (const measured &each : all_)
            width = std::max(width, indented(each).size());
        std::string text = line(width, "region", {"ranks", "calls", "least", "mean", "most", "of rank"});
        for (const measured &each : all_)
            text += line(width, indented(each),
                         {std::to_string(each.ranks), std::to_string(each.calls), number(each.least),
                          number(each.mean()), number(each.most), std::to_string(each.rank_of_most)});
        return text;
    }
    /// For programs: {"timers": [{"path": [...], "unit": "s", "ranks": ..., ...}, ...]}.
    [[nodiscard]] std::string json() const {
        std::string text = "{\"timers\": [";
        const char *separator = "\n  ";
        for (const measured &each : all_) {
            text.append(std::exchange(separator, ",\n  ")).append("{\"path\": [");
            const char *comma = "";
            for (const std::string &name : each.path)
                text.append(std::exchange(comma, ", ")).append(quoted(name));
            text.append("], \"unit\": ").append(each.counter ? "null" : "\"s\"");
            text.append(", \"ranks\": ").append(std::to_string(each.ranks));
            text.append(", \"calls\": ").append(std::to_string(each.calls));
            text.append(", \"min\": ").append(number(each.least));
            text.append(", \"mean\": ").append(number(each.mean()));
            text.append(", \"max\": ").append(number(each.most));
            text.append(", \"max_rank\": ").append(std::to_string(each.rank_of_most)).append("}");
        }
        return text + "\n]}\n";
    }

  private:
    friend class timers;
    static std::string number(double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.6g", value);
        return text;
    }
    static std::string indented(const measured &each) {
        return std::string(2 * (each.path.size() - 1), ' ') + each.path.back();
    }
    static std::string line(std::size_t width, std::string name, const std::vector<std::string> &columns) {
        constexpr std::size_t column_width = 13;
        name.resize(width, ' ');
        for (const std::string &column : columns)
            name.append(column.size() < column_width ? column_width - column.size() : 1, ' ').append(column);
        return name + "\n";
    }
    static std::string quoted(const std::string &name) {
        std::string text = "\"";
        for (const char letter : name) {
            if (static_cast<unsigned char>(letter) < ' ') {
                char code[8];
                std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
                text += code;
                continue;
            }
            if (letter == '"' || letter == '\\')
                text += '\\';
            text += letter;
        }
        return text + "\"";
    }

    std::vector<measured> all_;
};

/// A thread's stopwatches and counters. Regions lie inside each other as their objects do.
///
///     lisle::timers timers;
///     for (int step = 0; step < steps; ++step) {
///         auto whole = timers.measure("step");
///         { auto part = timers.measure("exchange"); ghosts.exchange(); }
///         compute();
///     }
///     const auto report = timers.gather(world);
///     if (world.rank() == 0) std::cout << report.table();
class timers {
  public:
    /// A region that is measured until the end of its scope.
    class region {
      public:
        region(const region &) = delete;
        region &operator=(const region &) = delete;
        ~region() { of_.leave(begin_); }

      private:
        friend class timers;
        explicit region(timers &of) : of_{of}, begin_{wall_time()} {}
        timers &of_;
        double begin_;
    };

    /// Begins a region, which ends with the object. Regions of one name in the same region are one.
    [[nodiscard]] region measure(std::string_view name) {
        open_.push_back(place_of(name, false));
        return region{*this};
    }
    /// Adds to a counter in the region that is open.
    void count(std::string_view name, double value) { add(place_of(name, true), value); }

    /// What all ranks have measured, at the root; elsewhere nothing. Regions that are open count without
    /// their last call. Collective.
    [[nodiscard]] timer_report gather(const communicator &comm, int root = 0) const {
        std::vector<char> text;
        std::vector<own_value> values;
        for (const entry &each : entries_) {
            values.push_back(
                {each.around, static_cast<long>(each.name.size()), each.calls, each.value, each.counter});
            text.insert(text.end(), each.name.begin(), each.name.end());
        }
        auto names = comm.gatherv(text, {.root = root});
        auto all = comm.gatherv(values, {.root = root});
        timer_report report;
        if (comm.rank() != root)
            return report;
        const char *name = names.data.data();
        for (int rank = 0; rank < comm.size(); ++rank) {
            std::vector<std::vector<std::string>> paths; // of this rank's entries
            for (const own_value &each : all.block(rank)) {
                auto path = each.around < 0 ? std::vector<std::string>{}
                                            : paths[static_cast<std::size_t>(each.around)];
                path.emplace_back(name, static_cast<std::size_t>(each.name_length));
                name += each.name_length;
                if (each.calls != 0)
                    merge(report.all_, path, each, rank);
                paths.push_back(std::move(path));
            }
        }
        return report;
    }

  private:
    struct entry {
        long around; ///< the index of the region around it, or -1
        std::string name;
        bool counter;
        long long calls = 0;
        double value = 0;
    };
    /// An entry as it travels, its name apart.
    struct own_value {
        long around, name_length;
        long long calls;
        double value;
        bool counter;
    };

    std::size_t place_of(std::string_view name, bool counter) {
        const long around = open_.empty() ? -1 : static_cast<long>(open_.back());
        // Programs come to their regions in the same order again and again.
        for (std::size_t looked_at = 0; looked_at < entries_.size(); ++looked_at) {
            if (++last_ >= entries_.size())
                last_ = 0;
            const entry &each = entries_[last_];
            if (each.around == around && each.counter == counter && each.name == name)
                return last_;
        }
        last_ = entries_.size();
        entries_.push_back({around, std::string{name}, counter});
        return last_;
    }
    void add(std::size_t place, double value) {
        ++entries_[place].calls;
        entries_[place].value += value;
    }
    void leave(double begin) {
        add(open_.back(), wall_time() - begin);
        open_.pop_back();
    }
    static void merge(std::vector<measured> &all, const std::vector<std::string> &path,
                      const own_value &value, int rank) {
        auto found = std::find_if(all.begin(), all.end(), [&](const measured &each) {
            return each.path == path && each.counter == value.counter;
        });
        if (found == all.end()) {
            // Behind what the region around it has already.
            const auto inside = [&](const measured &each) {
                return each.path.size() >= path.size() - 1 &&
                       std::equal(path.begin(), path.end() - 1, each.path.begin());
            };
            const auto last = std::find_if(all.rbegin(), all.rend(), inside);
            found = all.insert(last.base(),
                               measured{path, value.counter, 0, 0, value.value, 0, value.value, rank});
        }
        ++found->ranks;
        found->calls += value.calls;
        found->sum += value.value;
        found->least = std::min(found->least, value.value);
        if (value.value > found->most) {
            found->most = value.value;
            found->rank_of_most = rank;
        }
    }

    std::vector<entry> entries_;
    std::size_t last_ = 0;          ///< the entry that was asked for last
    std::vector<std::size_t> open_; ///< regions that have begun, the innermost last
};

} // namespace lisle
