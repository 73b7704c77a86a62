// SPDX-License-Identifier: Apache-2.0
#include "tile/study/applications.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tile/rmpi/collectives.hpp"

namespace lisle::tile::study {

namespace {

using rmpi::endpoint;

constexpr int context = 0;

word add_floats(word a, word b) {
    return std::bit_cast<word>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
}
word larger_float(word a, word b) {
    return std::bit_cast<word>(std::max(std::bit_cast<float>(a), std::bit_cast<float>(b)));
}

/// The share of one of `count` ranks in `whole`: [first, last).
struct share {
    share(int whole, int count, int rank)
        : first{static_cast<int>(std::int64_t{whole} * rank / count)}, last{static_cast<int>(
                                                                           std::int64_t{whole} * (rank + 1) /
                                                                           count)} {}
    int first, last;
    [[nodiscard]] int size() const noexcept { return last - first; }
};

std::span<word> words_of(std::span<float> data) {
    return {reinterpret_cast<word *>(data.data()), data.size()};
}

/// The area under a curve, in strips. All ranks send their part to rank 0, which adds them in turn.
class trapezoid final : public application {
  public:
    explicit trapezoid(int points) : points_{points} {}
    [[nodiscard]] std::string_view name() const override { return "trapezoid"; }
    [[nodiscard]] const std::vector<float> &answer() const override { return answer_; }
    [[nodiscard]] double tolerance() const override { return 1e-5; }

    void run(endpoint &self) override {
        const share mine{points_, self.size(), self.rank()};
        double sum = 0;
        for (int i = mine.first; i < mine.last; ++i) {
            sum += (curve(at(i)) + curve(at(i + 1))) / 2 * (at(1) - at(0));
        }
        self.here().work(mine.size() * self.here().costs().trapezoid_point_cycles);
        auto part = static_cast<float>(sum);
        if (self.rank() != 0) {
            self.send(0, 0, context, words_of({&part, 1}));
            return;
        }
        float whole = part;
        for (int rank = 1; rank < self.size(); ++rank) {
            self.receive(rank, 0, context, words_of({&part, 1}));
            whole += part;
        }
        answer_ = {whole};
    }

  private:
    static constexpr double end = 1048576;
    [[nodiscard]] double at(int i) const { return end * i / points_; }
    /// A long rational polynomial.
    static double curve(double x) {
        return (3 * x * x * x + 7 * x * x + 11 * x + 13) / (x * x * x + 5 * x * x + 17 * x + 19) +
               (2 * x * x + 23) / (x * x * x + 29 * x + 31);
    }
    int points_;
    std::vector<float> answer_;
};

/// 4 / (1 + x * x) from 0 to 1: the number of points is broadcast, the sum reduced.
class pi final : public application {
  public:
    explicit pi(int points) : points_{points} {}
    [[nodiscard]] std::string_view name() const override { return "pi"; }
    [[nodiscard]] const std::vector<float> &answer() const override { return answer_; }
    [[nodiscard]] double tolerance() const override { return 1e-5; }

    void run(endpoint &self) override {
        auto points = static_cast<word>(self.rank() == 0 ? points_ : 0);
        if (self.size() > 1) {
            rmpi::broadcast(self, rmpi::algorithm::as_rmpi, 0, {&points, 1});
        }
        const share mine{static_cast<int>(points), self.size(), self.rank()};
        double sum = 0;
        for (int i = mine.first; i < mine.last; ++i) {
            const double x = (i + 0.5) / points;
            sum += 4 / (1 + x * x) / points;
        }
        self.here().work(mine.size() * self.here().costs().pi_point_cycles);
        auto part = static_cast<float>(sum);
        float whole = part;
        if (self.size() > 1) {
            rmpi::reduce(self, rmpi::algorithm::as_rmpi, 0, words_of({&part, 1}), words_of({&whole, 1}),
                         add_floats);
        }
        if (self.rank() == 0) {
            answer_ = {whole};
        }
    }

  private:
    int points_;
    std::vector<float> answer_;
};

/// Heat on a square plate in rows: each rank has a stripe, and exchanges its first and last row with its
/// neighbours before each step.
class jacobi final : public application {
  public:
    jacobi(int side, int steps) : side_{side}, steps_{steps} {}
    [[nodiscard]] std::string_view name() const override { return "Jacobi"; }
    [[nodiscard]] const std::vector<float> &answer() const override { return answer_; }
    [[nodiscard]] double tolerance() const override { return 0; }

    void run(endpoint &self) override {
        const share rows{side_, self.size(), self.rank()};
        const auto width = static_cast<std::size_t>(side_);
        const auto height = static_cast<std::size_t>(rows.size()) + 2; // a row of each neighbour besides
        std::vector<float> now(width * height);
        std::vector<float> next(width * height);
        for (int row = -1; row <= rows.size(); ++row) {
            for (int column = 0; column < side_; ++column) {
                now[static_cast<std::size_t>(row + 1) * width + static_cast<std::size_t>(column)] =
                    at_start(rows.first + row, column);
            }
        }
        next = now;
        for (int step = 0; step < steps_; ++step) {
            exchange_edges(self, now, width);
            const float change = relax(now, next, rows);
            self.here().work(cycles_of_step(self, rows.size()));
            std::swap(now, next);
            if (self.size() > 1) {
                const auto mine = std::bit_cast<word>(change);
                word largest = 0;
                rmpi::allreduce(self, rmpi::algorithm::as_rmpi, {&mine, 1}, {&largest, 1}, larger_float);
            }
        }
        // Only for the comparison of answers: a job's ranks share the host's memory.
        answer_.resize(width * width);
        std::copy(now.begin() + static_cast<std::ptrdiff_t>(width),
                  now.end() - static_cast<std::ptrdiff_t>(width),
                  answer_.begin() + rows.first * static_cast<std::ptrdiff_t>(width));
    }

  private:
    [[nodiscard]] float at_start(int row, int column) const {
        const bool hot = row <= 0 || (column == 0 && row < side_ / 2);
        return hot ? 100.0F : static_cast<float>((row * 31 + column * 17) % 11);
    }

    static void exchange_edges(endpoint &self, std::vector<float> &plate, std::size_t width) {
        const std::size_t rows = plate.size() / width;
        const auto row = [&](std::size_t i) { return words_of(std::span(plate).subspan(i * width, width)); };
        const int above = self.rank() - 1;
        const int below = self.rank() + 1;
        if (above >= 0) {
            self.send(above, 0, context, row(1));
        }
        if (below < self.size()) {
            self.send(below, 0, context, row(rows - 2));
        }
        if (above >= 0) {
            self.receive(above, 0, context, row(0));
        }
        if (below < self.size()) {
            self.receive(below, 0, context, row(rows - 1));
        }
    }

    /// One step over a stripe; the plate's own edge stays as it is. @return the largest change of a point
    [[nodiscard]] float relax(const std::vector<float> &now, std::vector<float> &next,
                              const share &rows) const {
        const auto width = static_cast<std::size_t>(side_);
        float largest = 0;
        for (int row = std::max(1, rows.first); row < std::min(side_ - 1, rows.last); ++row) {
            const std::size_t begin = static_cast<std::size_t>(row - rows.first + 1) * width;
            for (std::size_t i = begin + 1; i < begin + width - 1; ++i) {
                next[i] = (now[i - width] + now[i + width] + now[i - 1] + now[i + 1]) / 4;
                largest = std::max(largest, std::abs(next[i] - now[i]));
            }
        }
        return largest;
    }

    /// The grid does not fit any cache, and two tiles share a port to memory.
    [[nodiscard]] cycle cycles_of_step(endpoint &self, int rows) const {
        const parameters &costs = self.here().costs();
        const auto &tiles = self.tiles();
        const int partner = self.here().tile() ^ 1;
        const bool shared = std::find(tiles.begin(), tiles.end(), partner) != tiles.end();
        return cycle{rows} * side_ * costs.jacobi_point_cycles *
               (shared ? costs.shared_memory_percent : 100) / 100;
    }

    int side_;
    int steps_;
    std::vector<float> answer_;
};

/// C = A x B. Rank 0 gives B to all and rows of A to each of the others, and collects their rows of C: alone
/// it computes, with others it does not. (So two tiles are slower than one, as the thesis reports.) Numbers
/// are doubles for the network and for the cost.
class product final : public application {
  public:
    product(int rows, int inner, int columns) : rows_{rows}, inner_{inner}, columns_{columns} {}
    [[nodiscard]] std::string_view name() const override { return "matrix product"; }
    [[nodiscard]] const std::vector<float> &answer() const override { return answer_; }
    [[nodiscard]] double tolerance() const override { return 0; }

    void run(endpoint &self) override {
        if (self.size() == 1) {
            keep(multiply(self, make(rows_, inner_, 3), make(inner_, columns_, 5)));
        } else if (self.rank() == 0) {
            distribute(self);
        } else {
            compute(self);
        }
    }

  private:
    using matrix = std::vector<double>; // in rows

    static matrix make(int rows, int columns, int step) {
        matrix made(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
        for (std::size_t i = 0; i < made.size(); ++i) {
            made[i] = static_cast<double>(i * static_cast<std::size_t>(step) % 7) - 3;
        }
        return made;
    }
    static std::span<word> words_of_doubles(std::span<double> data) {
        return {reinterpret_cast<word *>(data.data()), data.size() * 2};
    }
    [[nodiscard]] share rows_for(const endpoint &self, int rank) const {
        return {rows_, self.size() - 1, rank - 1};
    }
    [[nodiscard]] std::span<double> rows_of(matrix &whole, const share &rows, int columns) const {
        return std::span(whole).subspan(
            static_cast<std::size_t>(rows.first) * static_cast<std::size_t>(columns),
            static_cast<std::size_t>(rows.size()) * static_cast<std::size_t>(columns));
    }

    void distribute(endpoint &self) {
        matrix a = make(rows_, inner_, 3);
        matrix b = make(inner_, columns_, 5);
        matrix c(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_));
        rmpi::broadcast(self, rmpi::algorithm::as_rmpi, 0, words_of_doubles(b));
        for (int rank = 1; rank < self.size(); ++rank) {
            self.send(rank, 0, context, words_of_doubles(rows_of(a, rows_for(self, rank), inner_)));
        }
        for (int rank = 1; rank < self.size(); ++rank) {
            self.receive(rank, 0, context, words_of_doubles(rows_of(c, rows_for(self, rank), columns_)));
        }
        keep(c);
    }

    void compute(endpoint &self) const {
        const share rows = rows_for(self, self.rank());
        matrix b(static_cast<std::size_t>(inner_) * static_cast<std::size_t>(columns_));
        rmpi::broadcast(self, rmpi::algorithm::as_rmpi, 0, words_of_doubles(b));
        matrix a(static_cast<std::size_t>(rows.size()) * static_cast<std::size_t>(inner_));
        self.receive(0, 0, context, words_of_doubles(a));
        matrix c = multiply(self, a, b);
        self.send(0, 0, context, words_of_doubles(c));
    }

    [[nodiscard]] matrix multiply(endpoint &self, const matrix &a, const matrix &b) const {
        const auto inner = static_cast<std::size_t>(inner_);
        const auto columns = static_cast<std::size_t>(columns_);
        const std::size_t rows = a.size() / inner;
        matrix c(rows * columns);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t k = 0; k < inner; ++k) {
                for (std::size_t j = 0; j < columns; ++j) {
                    c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
                }
            }
        }
        self.here().work(static_cast<cycle>(rows * inner * columns) *
                         self.here().costs().product_step_cycles);
        return c;
    }

    void keep(const matrix &c) { answer_.assign(c.begin(), c.end()); }

    int rows_, inner_, columns_;
    std::vector<float> answer_;
};

} // namespace

std::vector<application_maker> applications(const application_sizes &sizes) {
    return {[=] { return std::make_unique<trapezoid>(sizes.trapezoids); },
            [=] { return std::make_unique<pi>(sizes.pi_points); },
            [=] { return std::make_unique<jacobi>(sizes.grid, sizes.grid_steps); },
            [=] {
                return std::make_unique<product>(sizes.product_rows, sizes.product_inner,
                                                 sizes.product_columns);
            }};
}

} // namespace lisle::tile::study
