// SPDX-License-Identifier: Apache-2.0
// Random programs of updates of blocks, and what they give when one is done after the other.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "machine.hpp"

namespace test {

using numbers = std::vector<long>;

inline numbers mixed(numbers mine, const numbers &other, long with) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
        mine[i] = (mine[i] * 31 + other[(i + 1) % other.size()] * 7 + with) % 1000003;
    }
    return mine;
}
inline numbers first_numbers(long block, long count) {
    numbers made(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i] = block * 1000 + static_cast<long>(i);
    }
    return made;
}
inline long checksum(const numbers &all) {
    long sum = 0;
    for (const long each : all) {
        sum = (sum * 131 + each) % 1000000007;
    }
    return sum;
}

inline void add_mixing(tasks::registry &kernels) {
    kernels.add("mix.mixed", &mixed);
    kernels.add("mix.first", &first_numbers);
    kernels.add("mix.checksum", &checksum);
}

struct random_updates {
    std::string program, wanted;

    /// @param length of each block
    random_updates(unsigned seed, int updates, long length) : generator_{seed} {
        const int blocks = pick(1, 8);
        program = "(let ((b (map (lambda (i) (block (mix.first i " + std::to_string(length) + "))) (range " +
                  std::to_string(blocks) + "))))\n (seq";
        for (int i = 0; i < blocks; ++i) {
            values_.push_back(first_numbers(i, length));
        }
        for (int i = 0; i < updates; ++i) {
            add_update(blocks);
        }
        program += "\n  (map (lambda (each) (mix.checksum (read each))) b)))";
        for (const numbers &each : values_) {
            wanted += (wanted.empty() ? "(" : " ") + std::to_string(checksum(each));
        }
        wanted += ")";
    }

  private:
    int pick(int least, int most) { return std::uniform_int_distribution{least, most}(generator_); }
    static std::string named(int block) { return "(nth b " + std::to_string(block) + ")"; }

    void add_update(int blocks) {
        const int written = pick(0, blocks - 1), read = pick(0, blocks - 1), with = pick(0, 999);
        const std::string head =
            "\n  (update" + (pick(0, 2) == 0 ? "^" + std::to_string(pick(-2, 3)) : std::string{});
        const std::string number = std::to_string(with);
        numbers &mine = at(written);
        const numbers other = at(read);
        if (const int second = pick(0, blocks - 1); second != written && pick(0, 3) == 0) { // writes two
            program += head + " (list " + named(written) + " " + named(second) +
                       ") (lambda (x y r) (list (mix.mixed x r " + number + ") (mix.mixed y x 1))) " +
                       named(read) + ")";
            at(second) = mixed(at(second), mine, 1);
            mine = mixed(mine, other, with);
        } else {
            program += head + " " + named(written) + " (lambda (x r) (mix.mixed x r " + number + ")) " +
                       named(read) + ")";
            mine = mixed(mine, other, with);
        }
    }
    numbers &at(int block) { return values_[static_cast<std::size_t>(block)]; }

    std::mt19937 generator_;
    std::vector<numbers> values_;
};

} // namespace test
