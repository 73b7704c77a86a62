// SPDX-License-Identifier: Apache-2.0
// What the programs of examples/task compute, written in C++ without the machine and in the simplest way: LU
// and the product of whole matrices, one sort, one loop. One line for each: the program's name and what it
// prints.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using matrix = std::vector<double>;

/// A matrix of square blocks, as the kernels make them.
matrix of_blocks(std::size_t blocks, std::size_t n, unsigned seed) {
    const std::size_t order = blocks * n;
    matrix all(order * order);
    for (std::size_t row = 0; row < blocks; ++row) {
        for (std::size_t column = 0; column < blocks; ++column) {
            std::mt19937_64 generator{seed + 1000 * row + column};
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    const double drawn = static_cast<double>(generator() >> 11U) * 0x1p-53 - 0.5;
                    all[(row * n + i) * order + column * n + j] =
                        drawn + (row == column && i == j ? 100.0 * static_cast<double>(n) : 0);
                }
            }
        }
    }
    return all;
}

double sum(const matrix &all) {
    double result = 0;
    for (const double each : all) {
        result += each;
    }
    return result;
}

double factored(std::size_t order, matrix a) {
    for (std::size_t k = 0; k < order; ++k) {
        for (std::size_t i = k + 1; i < order; ++i) {
            a[i * order + k] /= a[k * order + k];
            for (std::size_t j = k + 1; j < order; ++j) {
                a[i * order + j] -= a[i * order + k] * a[k * order + j];
            }
        }
    }
    return sum(a);
}

double product(std::size_t order, const matrix &a, const matrix &b) {
    matrix c(order * order);
    for (std::size_t i = 0; i < order; ++i) {
        for (std::size_t k = 0; k < order; ++k) {
            for (std::size_t j = 0; j < order; ++j) {
                c[i * order + j] += a[i * order + k] * b[k * order + j];
            }
        }
    }
    return sum(c);
}

std::string merge_sort() {
    std::mt19937_64 generator{7};
    std::vector<std::int64_t> numbers(20000);
    std::ranges::generate(numbers, [&] { return static_cast<std::int64_t>(generator() >> 20U); });
    std::ranges::sort(numbers);
    std::uint64_t checksum = 0;
    for (const std::int64_t each : numbers) {
        checksum = checksum * 31 + static_cast<std::uint64_t>(each);
    }
    return "(20000 true " + std::to_string(checksum >> 1U) + ")";
}

double ring(std::size_t parts, std::size_t points, int steps) {
    const std::size_t all = parts * points;
    std::vector<double> now(all), next(all);
    for (std::size_t i = 0; i < all; ++i) {
        now[i] = static_cast<double>(i * i % 101);
    }
    for (int step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < all; ++i) {
            next[i] = now[i] + 0.25 * (now[(i + all - 1) % all] - 2 * now[i] + now[(i + 1) % all]);
        }
        now.swap(next);
    }
    double sum = 0;
    for (std::size_t i = 0; i < all; ++i) {
        sum += now[i] * static_cast<double>(i % points + 1);
    }
    return sum;
}

long fib(long n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int words(const std::string &file) {
    std::ifstream in{file};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    int count = 0;
    bool is_word = false;
    for (const char letter : text) {
        const bool is_letter = std::isalpha(static_cast<unsigned char>(letter)) != 0;
        count += is_letter && !is_word ? 1 : 0;
        is_word = is_letter;
    }
    return count;
}

} // namespace

int main(int, char **argv) {
    long squares = 0, streamed = 0;
    for (long i = 1; i <= 1000; ++i) {
        squares += i * i;
    }
    for (long i = 0; i < 100; ++i) {
        streamed += i * i;
    }
    std::printf("fib.td %ld\nmap_fold.td %ld\nstreams.td %ld\n", fib(20), squares, streamed);
    std::printf("merge_sort.td %s\n", merge_sort().c_str());
    std::printf("lu.td %.17g\n", factored(6 * 32, of_blocks(6, 32, 1)));
    std::printf("matrix.td %.17g\n", product(3 * 40, of_blocks(3, 40, 1), of_blocks(3, 40, 2)));
    std::printf("stencil.td %.17g\n", ring(8, 100, 60));
    std::printf("word_count.td %d\n", words(argv[1]));
}
