// SPDX-License-Identifier: Apache-2.0
// What the host of thread and fiber ranks is called with: the words of one program, which all ranks of the
// process run, or --programs and for each program how many ranks run it, how many words it has, and these.
#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <vector>

namespace lisle::launch {

struct hosted_program {
    int ranks;
    std::vector<std::string> words; ///< its name first
};

inline constexpr const char *several_programs = "--programs";

/// The host's words for several programs.
[[nodiscard]] inline std::vector<std::string> words_for_host(const std::vector<hosted_program> &programs) {
    std::vector<std::string> words{several_programs};
    for (const hosted_program &each : programs) {
        words.push_back(std::to_string(each.ranks));
        words.push_back(std::to_string(each.words.size()));
        words.insert(words.end(), each.words.begin(), each.words.end());
    }
    return words;
}

/// The name of the first program, for which nothing needs to be known of the job. Empty: there is none.
[[nodiscard]] inline std::string first_program(const std::vector<std::string> &words) {
    const std::size_t at = !words.empty() && words.front() == several_programs ? 3 : 0;
    return at < words.size() ? words[at] : "";
}

/// What they say. @param ranks of the process. Throws std::invalid_argument if it makes no sense.
[[nodiscard]] inline std::vector<hosted_program> hosted_programs(const std::vector<std::string> &words,
                                                                 int ranks) {
    if (words.empty()) {
        throw std::invalid_argument{"usage: lisle-host program [argument]..."};
    }
    if (words.front() != several_programs) {
        return {{ranks, words}};
    }
    std::vector<hosted_program> programs;
    const auto number = [&words](std::size_t at) {
        int value = 0;
        if (at < words.size()) {
            std::from_chars(words[at].data(), words[at].data() + words[at].size(), value);
        }
        return value;
    };
    for (std::size_t at = 1; at < words.size();) {
        const int count = number(at + 1);
        hosted_program made{number(at), {}};
        for (at += 2; at < words.size() && static_cast<int>(made.words.size()) < count; ++at) {
            made.words.push_back(words[at]);
        }
        ranks -= made.ranks;
        if (made.ranks < 1 || count < 1 || static_cast<int>(made.words.size()) != count) {
            throw std::invalid_argument{"lisle-host --programs: the words are not those of programs"};
        }
        programs.push_back(std::move(made));
    }
    if (ranks != 0 || programs.empty()) {
        throw std::invalid_argument{"lisle-host --programs: the job has another number of ranks"};
    }
    return programs;
}

} // namespace lisle::launch
