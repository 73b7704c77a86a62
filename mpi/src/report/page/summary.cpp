// SPDX-License-Identifier: Apache-2.0
#include "report/page/summary.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <numeric>

#include "report/trace/call_names.hpp"

namespace lisle::report {

namespace {

/// Less than this share of the time is not worth a sentence.
constexpr double noticeable = 0.02;

template <class... Values> std::string format(const char *how, Values... values) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), how, values...);
    return text.data();
}

std::uint64_t sum_of(const by_state &waits) {
    return std::accumulate(waits.begin(), waits.end(), std::uint64_t{0});
}

struct totals {
    double time = 0, computing = 0, waiting = 0;
};

totals totals_of(const run &told) {
    totals sum;
    for (const rank_total &each : told.ranks) {
        sum.time += static_cast<double>(each.time());
        sum.computing += static_cast<double>(each.computing());
        sum.waiting += static_cast<double>(sum_of(each.waits));
    }
    sum.time = std::max(sum.time, 1.0);
    return sum;
}

std::string where(const run &told, std::uint32_t id, std::uint32_t place) {
    const std::string &text = told.places[place];
    return name_of_call(id) + (text.empty() ? "" : " at " + text);
}

std::string about_time(const run &told) {
    const totals sum = totals_of(told);
    const double mpi = sum.time - sum.computing;
    return format("The run took %s with %zu %s: %s of the time is computing, %s is in MPI, of which %s is "
                  "waiting for other ranks.",
                  time_in_words(static_cast<double>(told.duration)).c_str(), told.ranks.size(),
                  told.ranks.size() == 1 ? "rank" : "ranks", percent(sum.computing / sum.time).c_str(),
                  percent(mpi / sum.time).c_str(), percent(mpi > 0 ? sum.waiting / mpi : 0).c_str());
}

/// Rank 3, or rank 3 (ocean) where there are several programs.
std::string rank_in_words(const run &told, int rank) {
    const auto behind = told.programs.upper_bound(rank);
    const std::string number = std::to_string(rank);
    return behind == told.programs.begin() ? number : number + " (" + std::prev(behind)->second + ")";
}

std::string about_late_rank(const run &told) {
    const auto latest = std::ranges::max_element(told.late);
    const double share = static_cast<double>(*latest) / static_cast<double>(told.duration);
    if (share < noticeable) {
        return "No rank keeps another one waiting for more than 2% of the time.";
    }
    const int rank = static_cast<int>(latest - told.late.begin());
    std::uint64_t most = 0;
    std::string place;
    for (const auto &[key, call] : told.calls) {
        const auto found = call.waits_for.find(rank);
        if (found != call.waits_for.end() && found->second > most) {
            most = found->second;
            place = where(told, key.first, key.second);
        }
    }
    const bool one_waits = told.ranks.size() == 2;
    return format("Rank %s is late %s of the time: %s for it in %s.", rank_in_words(told, rank).c_str(),
                  percent(share).c_str(), one_waits ? "the other one waits" : "others wait", place.c_str());
}

std::string about_cause(const run &told) {
    const efficiencies &pop = told.pop;
    const double least = std::min({pop.load_balance, pop.serialisation, pop.transfer});
    if (least > 1 - 2 * noticeable) {
        return format("Ranks work side by side well: %s of their time is computing, and nothing stands out.",
                      percent(pop.parallel).c_str());
    }
    if (least == pop.load_balance) {
        const auto most = std::ranges::max_element(told.ranks, {}, &rank_total::computing);
        return format(
            "Work is spread unevenly: rank %s computes %.2f times as long as the average (load balance %s).",
            rank_in_words(told, static_cast<int>(most - told.ranks.begin())).c_str(), 1 / pop.load_balance,
            percent(pop.load_balance).c_str());
    }
    if (least == pop.serialisation) {
        return format("Ranks compute in turn rather than at once: if data took no time the run would still "
                      "take %s as long "
                      "(serialisation %s).",
                      percent(pop.transfer).c_str(), percent(pop.serialisation).c_str());
    }
    return format("Moving data, and the calls themselves, take %s of the run (transfer %s).",
                  percent(1 - pop.transfer).c_str(), percent(pop.transfer).c_str());
}

} // namespace

std::string time_in_words(double ns) {
    if (ns >= 1e9) {
        return format("%.3g s", ns / 1e9);
    }
    return ns >= 1e6   ? format("%.3g ms", ns / 1e6)
           : ns >= 1e3 ? format("%.3g us", ns / 1e3)
                       : format("%.0f ns", ns);
}

std::string bytes_in_words(double bytes) {
    constexpr std::array units{"bytes", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 != units.size(); ++unit) {
        bytes /= 1000;
    }
    return format("%.3g %s", bytes, units[unit]);
}

std::string percent(double share) {
    const double value = share * 100;
    return value != 0 && value < 10 && value > -10 ? format("%.1f%%", value) : format("%.0f%%", value);
}

std::string name_of_call(std::uint32_t id) {
    return std::string{id < call_names.size() ? call_names[id] : "?"};
}

std::string_view name_of_state(wait_state which) {
    constexpr std::array<std::string_view, wait_states> names{
        "late sender", "late receiver", "wait at collective", "late root",
        "early root",  "in turn",       "late neighbour",     "wait for lock"};
    return names[static_cast<std::size_t>(which)];
}

std::vector<std::string> summary_of(const run &told) {
    std::vector<std::string> sentences = told.remarks;
    sentences.push_back(about_time(told));
    if (told.ranks.size() > 1) {
        sentences.push_back(about_late_rank(told));
        sentences.push_back(about_cause(told));
    }
    if (told.clock_error != 0) {
        sentences.push_back(
            format("The clocks of the hosts were compared before the run and after it: times of "
                   "different hosts agree to within %s.",
                   time_in_words(static_cast<double>(told.clock_error)).c_str()));
    }
    return sentences;
}

std::string lines_of(const run &told) {
    std::string text;
    for (const std::string &each : summary_of(told)) {
        text += each + "\n";
    }
    const efficiencies &pop = told.pop;
    text += format("parallel efficiency %s = load balance %s x serialisation %s x transfer %s\n",
                   percent(pop.parallel).c_str(), percent(pop.load_balance).c_str(),
                   percent(pop.serialisation).c_str(), percent(pop.transfer).c_str());
    std::vector<decltype(told.calls)::const_iterator> calls;
    for (auto at = told.calls.begin(); at != told.calls.end(); ++at) {
        calls.push_back(at);
    }
    std::ranges::sort(calls, {}, [](const auto &each) { return -static_cast<double>(each->second.time); });
    const double time = totals_of(told).time;
    constexpr std::size_t most = 6;
    for (std::size_t at = 0; at != std::min(calls.size(), most); ++at) {
        const auto &[key, sum] = *calls[at];
        text += format(
            "%7s  %-34s %10llu calls, waiting %s\n", percent(static_cast<double>(sum.time) / time).c_str(),
            where(told, key.first, key.second).c_str(), static_cast<unsigned long long>(sum.count),
            percent(sum.time > 0 ? static_cast<double>(sum.wait) / static_cast<double>(sum.time) : 0)
                .c_str());
    }
    return text;
}

} // namespace lisle::report
