// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/explore.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

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

/// 1,234,567; from a million on 3 x 10^7.
std::string number_in_words(double number) {
    constexpr double exact = 1e6;
    if (number >= exact) {
        const double power = std::floor(std::log10(number));
        return sentence(std::lround(number / std::pow(10, power)), " x 10^", std::lround(power));
    }
    std::string digits = std::to_string(std::llround(number));
    for (std::size_t place = digits.size(); place > 3;) {
        place -= 3;
        digits.insert(place, ",");
    }
    return digits;
}

std::string command_of(const program_request &program) {
    std::string words;
    for (const auto &word : program.arguments) {
        words += " " + word;
    }
    return words;
}

class exploration {
  public:
    exploration(const job_request &request, const job_plan &plan)
        : request_{request}, plan_{plan}, runner_{request, plan}, end_{clock::now() +
                                                                       request.exploration.limit} {}

    int run() {
        // Sends that are buffered allow all matchings that sends which wait allow, and more. But only those
        // that wait show the deadlocks of their waits.
        bool complete = explore_all(true);
        if (!failed_ && sends_) {
            complete = explore_all(false) && complete;
        }
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
    [[nodiscard]] bool may_go_on(bool buffers) const {
        // The second way, in which sends wait, is to have its share.
        const auto end = buffers ? begin_ + (end_ - begin_) * 2 / 3 : end_;
        return clock::now() < end && runs_ < request_.exploration.runs;
    }
    /// @return all have been run
    bool explore_all(bool buffers) {
        return request_.exploration.random ? explore_by_chance(buffers) : explore_in_order(buffers);
    }
    bool explore_in_order(bool buffers);
    bool explore_by_chance(bool buffers);
    run_result make(const choice::orders &given) {
        ++runs_;
        return runner_.run(given);
    }
    void judge(const choice::orders &given, const run_result &result);
    void tell_failure();
    void tell_success(bool complete) const;
    void tell_outputs() const;
    [[nodiscard]] std::string write_choices(const choice::orders &given,
                                            const std::vector<std::string> &story) const;

    const job_request &request_;
    const job_plan &plan_;
    const job_runner runner_;
    const clock::time_point begin_ = clock::now();
    const clock::time_point end_;
    int runs_ = 0;
    int ways_ = 0;   ///< different ones that sends which are buffered allow
    int others_ = 0; ///< those of sends that wait
    double expected_ = 0;
    bool sends_ = false;
    std::optional<failed_run> failed_;
    std::map<std::string, int> outputs_; ///< sorted by lines, and how often
};

bool exploration::explore_in_order(bool buffers) {
    search_tree tree;
    int &count = buffers ? ways_ : others_;
    while (const auto follow = tree.next()) {
        if (!may_go_on(buffers)) {
            expected_ += count * tree.whole_by_part();
            return false;
        }
        const choice::orders given{.follow = *follow, .buffers = buffers};
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
    expected_ += count;
    return true;
}

bool exploration::explore_by_chance(bool buffers) {
    const auto most = *request_.exploration.random;
    int &count = buffers ? ways_ : others_;
    for (std::uint64_t seed = 1; seed <= most && may_go_on(buffers) && !failed_; ++seed) {
        const choice::orders given{.seed = seed, .buffers = buffers};
        const run_result result = make(given);
        ++count;
        judge({.follow = result.made.decisions, .buffers = buffers}, result);
    }
    return false;
}

void exploration::judge(const choice::orders &given, const run_result &result) {
    sends_ = sends_ || result.made.sends;
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
    const bool buffers = failed_->given.buffers;
    const auto fails = [&](const std::vector<choice::decision> &follow) {
        if (--left < 0) {
            return false;
        }
        const run_result result = runner_.run({.follow = follow, .buffers = buffers});
        const auto how = result.made.impossible ? std::nullopt : failure_of(result);
        return how && how->sort == failed_->how.sort;
    };
    departures = shorten(std::move(departures), fails);
    // Once more, to hear of the calls.
    const run_result last = runner_.run({.follow = departures, .buffers = buffers, .tells = true});
    const auto how = failure_of(last);
    const auto story = story_of(last.made, buffers);
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
        write_choices({.follow = last.made.decisions, .buffers = buffers, .tells = false}, story);
    std::printf("To run exactly this again: lislerun -n %d --replay %s%s\n", plan_.ranks(), file.c_str(),
                command_of(request_.programs.front()).c_str());
}

std::string exploration::write_choices(const choice::orders &given,
                                       const std::vector<std::string> &story) const {
    std::string file = request_.exploration.file;
    if (file.empty()) {
        file = std::filesystem::path{request_.programs.front().arguments.front()}.filename().string() +
               ".choices";
    }
    std::ofstream stream{file};
    stream << "# Choices of a run of" << command_of(request_.programs.front()) << " with " << plan_.ranks()
           << " ranks, for lislerun --replay\n";
    for (const auto &line : story) {
        stream << "# " << line << '\n';
    }
    stream << choice::text_of(given) << std::flush;
    if (!stream) {
        give_up(1, "--explore: cannot write ", file, ": ", std::strerror(errno));
    }
    return file;
}

void exploration::tell_success(bool complete) const {
    const int all = ways_ + others_;
    std::string count = number_in_words(ways_);
    if (request_.exploration.random) {
        std::printf("%s runs by chance: none fails (%.1f s)\n", number_in_words(all).c_str(), seconds());
    } else if (complete) {
        count = ways_ == 1 ? "the only matching explored" : "all " + count + " matchings explored";
        std::printf("%s: none fails (%s runs, %.1f s%s)\n", count.c_str(), number_in_words(runs_).c_str(),
                    seconds(), others_ != 0 ? "; sends buffered, and not" : "");
    } else {
        std::printf("%s of about %s matchings explored in %.1f s: none fails\n", number_in_words(all).c_str(),
                    number_in_words(expected_).c_str(), seconds());
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
    expect_one_process(plan, "--explore");
    exploration all{request, plan};
    return all.run();
}

} // namespace lisle::launch
