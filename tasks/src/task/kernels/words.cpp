// SPDX-License-Identifier: Apache-2.0
// text: files, parts of them, and words with their numbers.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "task/kernels/standard.hpp"

namespace lisle::tasks {

namespace {

/// A word and how often it stands in a text.
struct counted_word {
    std::string word;
    std::int64_t count = 0;
    bool operator==(const counted_word &) const = default;
};
using counts = std::vector<counted_word>; ///< sorted by word

std::string read_file(const std::string &path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        throw std::runtime_error{"'" + path + "' cannot be read"};
    }
    return {std::istreambuf_iterator<char>{file}, {}};
}

bool is_letter(char letter) noexcept {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0;
}

/// Part k of n, cut between words, so that the parts together have every word once.
std::string part(const std::string &all, std::size_t k, std::size_t n) {
    if (n == 0 || k >= n) {
        throw std::out_of_range{"part " + std::to_string(k) + " of " + std::to_string(n)};
    }
    const auto cut = [&](std::size_t at) {
        while (at > 0 && at < all.size() && is_letter(all[at - 1]) && is_letter(all[at])) {
            ++at;
        }
        return at;
    };
    const std::size_t first = cut(all.size() * k / n), end = cut(all.size() * (k + 1) / n);
    return all.substr(first, end - first);
}

counts joined(counts sorted) {
    counts result;
    for (counted_word &each : sorted) {
        if (!result.empty() && result.back().word == each.word) {
            result.back().count += each.count;
        } else {
            result.push_back(std::move(each));
        }
    }
    return result;
}

counts count(const std::string &all) {
    counts words;
    for (std::size_t at = 0; at < all.size();) {
        std::string word;
        for (; at < all.size() && is_letter(all[at]); ++at) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(all[at])));
        }
        if (!word.empty()) {
            words.push_back({std::move(word), 1});
        }
        while (at < all.size() && !is_letter(all[at])) {
            ++at;
        }
    }
    std::ranges::sort(words, {}, &counted_word::word);
    return joined(std::move(words));
}

counts merged(const counts &left, const counts &right) {
    counts both;
    std::ranges::merge(left, right, std::back_inserter(both), {}, &counted_word::word, &counted_word::word);
    return joined(std::move(both));
}

/// The most frequent words, as "the 42".
std::vector<std::string> most_frequent(counts words, std::size_t how_many) {
    std::ranges::stable_sort(words, std::greater{}, &counted_word::count);
    words.resize(std::min(words.size(), how_many));
    std::vector<std::string> shown;
    for (const counted_word &each : words) {
        shown.push_back(each.word + " " + std::to_string(each.count));
    }
    return shown;
}
std::int64_t total(const counts &words) {
    std::int64_t sum = 0;
    for (const counted_word &each : words) {
        sum += each.count;
    }
    return sum;
}

} // namespace

described add_text_kernels(registry &kernels) {
    kernels.add("text.read", &read_file);
    kernels.add("text.part", &part);
    kernels.add("text.count", &count);
    kernels.add("text.merge", &merged);
    kernels.add("text.top", &most_frequent);
    kernels.add("text.total", &total);
    return {{"(text.read path)", "what is in a file"},
            {"(text.part text k n)", "part k of n, cut between words"},
            {"(text.count text)", "its words and their numbers"},
            {"(text.merge counts counts)", "both"},
            {"(text.top counts n)", "the most frequent words"},
            {"(text.total counts)", "number of all words"}};
}

} // namespace lisle::tasks
