// SPDX-License-Identifier: Apache-2.0
// matrix: square blocks of doubles, for products and for the blocked LU factorisation (without pivoting).
#include <cmath>
#include <random>
#include <stdexcept>

#include "task/kernels/standard.hpp"

namespace lisle::tasks {

namespace {

/// A block of n rows and columns, row by row: a vector of n * n numbers, which travels in one piece.
using block = std::vector<double>;

std::size_t order_of(const block &square) {
    const auto n = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(square.size()))));
    if (n * n != square.size()) {
        throw std::invalid_argument{"a vector of " + std::to_string(square.size()) +
                                    " numbers is no square block"};
    }
    return n;
}
std::size_t common_order(const block &a, const block &b) {
    if (a.size() != b.size()) {
        throw std::invalid_argument{"blocks of " + std::to_string(a.size()) + " and " +
                                    std::to_string(b.size()) + " numbers"};
    }
    return order_of(a);
}

/// Block (row, column) of a random matrix with a strong diagonal, so that LU needs no pivots.
block random_block(std::size_t n, std::size_t row, std::size_t column, unsigned seed) {
    std::mt19937_64 generator{seed + 1000 * row + column};
    block made(n * n);
    for (double &each : made) {
        each = static_cast<double>(generator() >> 11U) * 0x1p-53 - 0.5;
    }
    for (std::size_t i = 0; row == column && i < n; ++i) {
        made[i * n + i] += 100.0 * static_cast<double>(n);
    }
    return made;
}
block zero(std::size_t n) {
    return block(n * n);
}
// c + sign * a * b
block combined(block c, const block &a, const block &b, double sign) {
    const std::size_t n = common_order(a, b);
    common_order(a, c);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const double factor = sign * a[i * n + k];
            for (std::size_t j = 0; j < n; ++j) {
                c[i * n + j] += factor * b[k * n + j];
            }
        }
    }
    return c;
}
block multiply_add(block c, const block &a, const block &b) {
    return combined(std::move(c), a, b, 1);
}
block multiply_subtract(block c, const block &a, const block &b) {
    return combined(std::move(c), a, b, -1);
}
/// L and U of a block in one: the unit diagonal of L is left out.
block factored(block a) {
    const std::size_t n = order_of(a);
    for (std::size_t k = 0; k < n; ++k) {
        if (a[k * n + k] == 0) {
            throw std::domain_error{"a pivot is zero: this factorisation does not exchange rows"};
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            a[i * n + k] /= a[k * n + k];
            for (std::size_t j = k + 1; j < n; ++j) {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
    return a;
}
/// L^-1 a, of a factored diagonal block.
block solve_left(const block &lu, block a) {
    const std::size_t n = common_order(lu, a);
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                a[i * n + j] -= lu[i * n + k] * a[k * n + j];
            }
        }
    }
    return a;
}
/// a U^-1
block solve_right(const block &lu, block a) {
    const std::size_t n = common_order(lu, a);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            a[i * n + k] /= lu[k * n + k];
            for (std::size_t j = k + 1; j < n; ++j) {
                a[i * n + j] -= a[i * n + k] * lu[k * n + j];
            }
        }
    }
    return a;
}
double sum(const block &a) {
    double all = 0;
    for (const double each : a) {
        all += each;
    }
    return all;
}

} // namespace

described add_matrix_kernels(registry &kernels) {
    kernels.add("matrix.random", &random_block);
    kernels.add("matrix.zero", &zero);
    kernels.add("matrix.multiply-add", &multiply_add);
    kernels.add("matrix.multiply-subtract", &multiply_subtract);
    kernels.add("matrix.factor", &factored);
    kernels.add("matrix.solve-left", &solve_left);
    kernels.add("matrix.solve-right", &solve_right);
    kernels.add("matrix.sum", &sum);
    return {{"(matrix.random n row column seed)", "a block of a matrix with a strong diagonal"},
            {"(matrix.zero n)", "a block of zeros"},
            {"(matrix.multiply-add c a b)", "c + a b"},
            {"(matrix.multiply-subtract c a b)", "c - a b"},
            {"(matrix.factor a)", "L and U in one block"},
            {"(matrix.solve-left lu a)", "L^-1 a"},
            {"(matrix.solve-right lu a)", "a U^-1"},
            {"(matrix.sum a)", "sum of the elements"}};
}

} // namespace lisle::tasks
