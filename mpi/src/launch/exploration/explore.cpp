// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/explore.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "launch/common/launch_error.hpp"
#include "launch/exploration/failure.hpp"
#include "launch/exploration/shorten.hpp"
#include "launch/exploration/single_run.hpp"
#include "launch/exploration/story.hpp"
#include "launch/exploration/tree.hpp"

namespace lisle::launch {

namespace {

using clock = std::chrono::steady_clock;

// Runs that shortening may take: it may be slow where each of many choices matters.
constexpr int most_for_shortening = 300;

choice::buffering first_way(explored_sends wanted) {
    if (wanted == explored_sends::waiting) {
        return {.most_bytes = choice::buffering::nothing};
    }
    return {.each_chosen = wanted == explored_sends::each};
}

/// Of sends whose messages have these sizes, after all were buffered. Sends that are buffered allow all
/// matchings that sends which wait allow, and more. But only those that wait show the deadlocks of their
/// waits. In between are the ways of most libraries: what is short is buffered, and what is long waits.
std::vector<choice::buffering> other_ways(const std::set<int> &sizes) {
    std::vector<choice::buffering> ways;
    if (!sizes.empty()) {
        ways.push_back({.most_bytes = choice::buffering::nothing});
        for (auto each = sizes.begin(); std::next(each) != sizes.end(); ++each) {
            ways.push_back({.most_bytes = choice::most_bytes_of(*each)});
        }
    }
    return ways;
}

class exploration {
  public:
    exploration(const job_request &request, const job_plan &plan)
        : request_{request}, plan_{plan}, runner_{request, plan}, end_{clock::now() +
                                                                       request.exploration.limit} {}

    int run() {
        const bool complete = request_.exploration.random ? explore_by_chance() : explore_all();
        if (failed_) {
            tell_failure();
            return 1;
        }
        tell_success(complete);
        return 0;
    }

  private:
    struct failed_run {
        choice::orders given;
        run_result result;
        run_failure how;
    };

    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(clock::now() - begin_).count();
    }
    [[nodiscard]] bool may_go_on(clock::time_point end) const {
        return clock::now() < end && runs_ < request_.exploration.runs;
    }
    // True: all have been run.
    bool explore_all();
    bool explore_in_order(const choice::buffering &sends, clock::time_point end, int &count);
    bool explore_by_chance();
    run_result make(const choice::orders &given) {
        ++runs_;
        run_result made = runner_.run(given);
        if (!made.made.refused.empty()) {
            give_up(1, "--explore: ", made.made.refused, ": jobs that start others, or meet them, are not ",
                    "explored");
        }
        return made;
    }
    void judge(const choice::orders &given, const run_result &result);
    [[nodiscard]] std::optional<run_failure> failure_of(const run_result &result) const {
        return launch::failure_of(result, request_.exploration.mistakes_fail);
    }
    void tell_failure();
    void tell_success(bool complete) const;
    [[nodiscard]] std::string sends_in_words() const;
    void tell_outputs() const;
    [[nodiscard]] std::string write_choices(const choice::orders &given,
                                            const std::vector<std::string> &story) const;

    const job_request &request_;
    const job_plan &plan_;
    const job_runner runner_;
    const clock::time_point begin_ = clock::now();
    const clock::time_point end_;
    int runs_ = 0;
    int ways_ = 0;   ///< different ones of the first way to send, which allows most
    int others_ = 0; ///< those of the other ways
    double expected_ = 0;
    std::set<int> sizes_; ///< of messages of the standard mode, by class
    std::optional<failed_run> failed_;
    std::map<std::string, int> outputs_; ///< sorted by lines, and how often
};

bool exploration::explore_all() {
    const explored_sends wanted = request_.exploration.sends;
    if (wanted != explored_sends::several) {
        return explore_in_order(first_way(wanted), end_, ways_);
    }
    // The other ways are to have their shares.
    bool complete = explore_in_order(first_way(wanted), begin_ + (end_ - begin_) * 2 / 3, ways_);
    const auto others = other_ways(sizes_);
    for (std::size_t at = 0; at != others.size() && !failed_; ++at) {
        const auto now = clock::now();
        const auto left = static_cast<int>(others.size() - at);
        complete = explore_in_order(others[at], now + (end_ - now) / left, others_) && complete;
    }
    return complete;
}

bool exploration::explore_in_order(const choice::buffering &sends, clock::time_point end, int &count) {
    search_tree tree;
    const int before = count;
    while (const auto follow = tree.next()) {
        if (!may_go_on(end)) {
            expected_ += (count - before) * tree.whole_by_part();
            return false;
        }
        const choice::orders given{.follow = *follow, .sends = sends};
        const run_result result = make(given);
        tree.note(result.made);
        if (!result.made.impossible) {
            ++count;
            judge(given, result);
            if (failed_) {
                return false;
            }
        }
    }
    expected_ += count - before;
    return true;
}

bool exploration::explore_by_chance() {
    const explored_sends wanted = request_.exploration.sends;
    constexpr std::array in_turn{explored_sends::buffered, explored_sends::waiting, explored_sends::each};
    for (std::uint64_t seed = 1; seed <= *request_.exploration.random && may_go_on(end_) && !failed_;
         ++seed) {
        const auto sends =
            first_way(wanted == explored_sends::several ? in_turn[(seed - 1) % in_turn.size()] : wanted);
        const run_result result = make({.seed = seed, .sends = sends});
        ++ways_;
        judge({.follow = result.made.decisions, .sends = sends}, result);
    }
    return false;
}

void exploration::judge(const choice::orders &given, const run_result &result) {
    sizes_.insert(result.made.sizes.begin(), result.made.sizes.end());
    if (auto how = failure_of(result)) {
        failed_ = failed_run{given, result, std::move(*how)};
        return;
    }
    ++outputs_[sorted_lines(result.output)];
}

void exploration::tell_failure() {
    const std::string count = number_in_words(runs_);
    int left = most_for_shortening;
    std::vector<choice::decision> departures;
    for (const choice::decision &each : failed_->result.made.decisions) {
        if (each.departs) {
            departures.push_back(each);
        }
    }
    const choice::buffering sends = failed_->given.sends;
    const auto fails = [&](const std::vector<choice::decision> &follow) {
        if (--left < 0) {
            return false;
        }
        const run_result result = runner_.run({.follow = follow, .sends = sends});
        const auto how = result.made.impossible ? std::nullopt : failure_of(result);
        return how && how->sort == failed_->how.sort;
    };
    departures = shorten(std::move(departures), fails);
    // Once more, to hear of the calls.
    const run_result last = runner_.run({.follow = departures, .sends = sends, .tells = true});
    const auto how = failure_of(last);
    const auto story = story_of(last.made, sends);
    std::printf("run %s fails (%.1f s): %s\n", count.c_str(), seconds(),
                (how ? how->sentence : failed_->how.sentence).c_str());
    for (const auto &line : story) {
        std::printf("  %s\n", line.c_str());
    }
    const std::string output = last.output + last.errors;
    if (!output.empty()) {
        std::printf("What it says:\n");
        std::fputs(output.c_str(), stdout);
    }
    const std::string file =
        write_choices({.follow = last.made.decisions, .sends = sends, .tells = false}, story);
    std::printf("To run exactly this again: lislerun --replay %s%s\n", file.c_str(),
                command_of(request_).c_str());
}

std::string exploration::write_choices(const choice::orders &given,
                                       const std::vector<std::string> &story) const {
    std::string file = request_.exploration.file;
    if (file.empty()) {
        file = std::filesystem::path{request_.programs.front().arguments.front()}.filename().string() +
               ".choices";
    }
    std::ofstream stream{file};
    stream << "# Choices of a run, for lislerun --replay FILE" << command_of(request_) << '\n';
    for (const auto &line : story) {
        stream << "# " << line << '\n';
    }
    stream << choice::text_of(given) << std::flush;
    if (!stream) {
        give_up(1, "--explore: cannot write ", file, ": ", std::strerror(errno));
    }
    return file;
}

std::string exploration::sends_in_words() const {
    if (sizes_.empty()) {
        return {};
    }
    switch (request_.exploration.sends) {
    case explored_sends::buffered:
        return "; sends buffered";
    case explored_sends::waiting:
        return "; sends not buffered";
    case explored_sends::each:
        return "; each send buffered, and not";
    case explored_sends::several:
        break;
    }
    std::string text = "; sends buffered, and not";
    for (auto each = sizes_.begin(); std::next(each) != sizes_.end(); ++each) {
        text += sentence(each == sizes_.begin() ? ", and those of up to " : ", ",
                         number_in_words(static_cast<double>(choice::most_bytes_of(*each))));
    }
    return sizes_.size() > 1 ? text + " bytes alone" : text;
}

void exploration::tell_success(bool complete) const {
    const int all = ways_ + others_;
    std::string count = number_in_words(ways_);
    if (request_.exploration.random) {
        std::printf("%s runs by chance: none fails (%.1f s)\n", number_in_words(all).c_str(), seconds());
    } else if (complete) {
        const bool each = request_.exploration.sends == explored_sends::each;
        count = ways_ == 1 ? "the only matching explored"
                           : "all " + count + (each ? " ways explored" : " matchings explored");
        std::printf("%s: none fails (%s runs, %.1f s%s)\n", count.c_str(), number_in_words(runs_).c_str(),
                    seconds(), sends_in_words().c_str());
    } else {
        std::printf("%s of %s matchings explored in %.1f s: none fails\n", number_in_words(all).c_str(),
                    expected_in_words(expected_).c_str(), seconds());
    }
    tell_outputs();
}

/// No failure: perhaps it is meant.
void exploration::tell_outputs() const {
    if (outputs_.size() < 2) {
        return;
    }
    std::printf("The output is not always the same: there are %s. Two of them begin to differ with\n",
                number_in_words(static_cast<double>(outputs_.size())).c_str());
    const auto &[one, often] = *outputs_.begin();
    const auto &[other, seldom] = *std::next(outputs_.begin());
    std::size_t line = 0;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()) && one[i] == other[i]; ++i) {
        line = one[i] == '\n' ? i + 1 : line;
    }
    for (const std::string *const text : {&one, &other}) {
        std::printf("  %s\n", text->substr(line, text->find('\n', line) - line).c_str());
    }
}

} // namespace

int explore(const job_request &request, const job_plan &plan) {
    exploration all{request, plan};
    return all.run();
}

} // namespace lisle::launch
