// SPDX-License-Identifier: Apache-2.0
// What the tests of weight files have in common: random matrices that all ranks know, dealt out to them; and
// files with names of their own.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/weight_file.hpp"

namespace matrices {

namespace couple = lisle::couple;
using couple::global_index;
using couple::weight;

using random_source = std::mt19937_64;
inline std::int64_t below(random_source &random, std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

/// A file that is gone at the end. Its name is the same at all ranks of a job, and no other job's.
class file {
  public:
    explicit file(const lisle::communicator &world) : world_{world} {
        const char *const folder = std::getenv("TMPDIR");
        long number = static_cast<long>(getpid());
        world.broadcast(number, {.root = 0});
        path_ = std::string{folder != nullptr ? folder : "/tmp"} + "/lisle_weights_" + std::to_string(number);
    }
    ~file() {
        world_.barrier();
        if (world_.rank() == 0)
            std::remove(path_.c_str());
    }
    file(const file &) = delete;
    file &operator=(const file &) = delete;
    [[nodiscard]] const std::string &path() const { return path_; }
    /// Gives it this content. Collective.
    void fill(const std::string &content) const {
        world_.barrier();
        if (world_.rank() == 0)
            std::ofstream{path_, std::ios::binary} << content;
        world_.barrier();
    }
    [[nodiscard]] std::string content() const {
        std::ifstream from{path_, std::ios::binary};
        return {std::istreambuf_iterator<char>{from}, {}};
    }

  private:
    lisle::communicator world_;
    std::string path_;
};

/// Entries by row; the place of each is its row.
struct matrix {
    std::int64_t rows, columns;
    std::vector<std::vector<weight>> entries;
    [[nodiscard]] std::size_t count() const {
        std::size_t sum = 0;
        for (const auto &row : entries)
            sum += row.size();
        return sum;
    }
};

inline matrix draw(random_source &random) {
    matrix made{1 + below(random, 150), 1 + below(random, 150), {}};
    for (std::int64_t row = 0; row != made.rows; ++row) {
        made.entries.emplace_back();
        for (std::int64_t left = below(random, 6); left != 0; --left)
            made.entries.back().push_back(
                {row, below(random, made.columns), static_cast<double>(below(random, 1000)) / 999 - 0.1});
        std::ranges::sort(made.entries.back(), {}, [](const weight &each) {
            return std::tuple{each.source, each.factor};
        });
    }
    return made;
}

/// The rows of the caller: each is at least one rank's if `all` are dealt out, and some are several ranks'.
inline std::vector<global_index> deal(random_source &random, std::int64_t rows,
                                      const lisle::communicator &ranks, bool all) {
    std::vector<global_index> own;
    for (std::int64_t row = 0; row != rows; ++row) {
        const auto first = below(random, ranks.size()), second = below(random, ranks.size());
        const bool is_dealt = below(random, 4) != 0 || all, is_twice = below(random, 4) == 0;
        if (is_dealt && (first == ranks.rank() || (is_twice && second == ranks.rank())))
            own.push_back(row);
    }
    std::ranges::shuffle(own, random_source{static_cast<std::uint64_t>(ranks.rank())});
    return own;
}

inline std::vector<weight> weights_of(const matrix &all, const std::vector<global_index> &rows) {
    std::vector<weight> own;
    for (std::size_t place = 0; place != rows.size(); ++place)
        for (const weight &each : all.entries[static_cast<std::size_t>(rows[place])])
            own.push_back({static_cast<std::int64_t>(place), each.source, each.factor});
    return own;
}

inline void write(const lisle::communicator &ranks, random_source &random, const std::string &path,
                  const matrix &all, couple::weight_format as) {
    const auto rows = deal(random, all.rows, ranks, true);
    couple::write_weights(ranks.native(), path, weights_of(all, rows),
                          couple::decomposition::list(all.rows, rows), all.columns, as);
}

/// Reads for other places than have written.
inline void check_reading(const lisle::communicator &ranks, random_source &random, const std::string &path,
                          const matrix &all) {
    const auto rows = deal(random, all.rows, ranks, false);
    const auto got =
        couple::read_weights(ranks.native(), path, couple::decomposition::list(all.rows, rows), all.columns);
    const auto expected = weights_of(all, rows);
    CHECK_EQ(got.size(), expected.size());
    for (std::size_t at = 0; at != got.size(); ++at) {
        CHECK_EQ(got[at].place, expected[at].place);
        CHECK_EQ(got[at].source, expected[at].source);
        CHECK_EQ(got[at].factor, expected[at].factor);
    }
}

/// What reading a file of a grid with 3 points for one with 4 says.
inline std::string refusal(const lisle::communicator &ranks, const std::string &path) {
    try {
        static_cast<void>(couple::read_weights(ranks.native(), path, couple::decomposition{3}, 4));
    } catch (const std::invalid_argument &error) {
        std::string sentence = error.what();
        if (const auto at = sentence.find(path); at != std::string::npos)
            sentence.replace(at, path.size(), "FILE");
        return sentence;
    }
    return {};
}

} // namespace matrices
