// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/fixed_point.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string>

#include <lisle/detail/error.hpp>

#include "couple/rejection.hpp"

namespace lisle::couple {

namespace {

using values = std::vector<double>;

values difference(const values &a, const values &b) {
    values made(a.size());
    std::ranges::transform(a, b, made.begin(), std::minus<>{});
    return made;
}

void add_scaled(values &to, double factor, const values &what) {
    for (std::size_t at = 0; at != to.size(); ++at) {
        to[at] += factor * what[at];
    }
}

double local_dot(const values &a, const values &b) {
    double sum = 0;
    for (std::size_t at = 0; at != a.size(); ++at) {
        sum += a[at] * b[at];
    }
    return sum;
}

void check(const iteration_rule &rule) {
    const auto refuse = [](const char *what, double value) {
        detail::reject(std::string{"a fixed point's "} + what + " cannot be " + std::to_string(value));
    };
    if (!(rule.relaxation > 0)) {
        refuse("relaxation", rule.relaxation);
    }
    if (!(rule.relative >= 0)) {
        refuse("relative limit", rule.relative);
    }
    if (!(rule.absolute >= 0)) {
        refuse("absolute limit", rule.absolute);
    }
    if (rule.most < 1) {
        refuse("most iterations", rule.most);
    }
    if (rule.reused_steps < 0) {
        refuse("reused steps", rule.reused_steps);
    }
}

} // namespace

class fixed_point::state {
  public:
    state(MPI_Comm ranks, const iteration_rule &rule) : ranks_{ranks}, rule_{rule} {}

    void begin(const std::vector<std::span<double>> &guess);
    [[nodiscard]] bool repeats(const std::vector<std::span<double>> &came_out);
    [[nodiscard]] bool has_converged() const noexcept { return converged_; }
    [[nodiscard]] const values &history() const noexcept { return history_; }

  private:
    /// What changed from one iteration to the next: of the differences, and of what came out.
    struct change {
        values of_difference, of_output;
        int step;
    };
    /// Of one field among all values.
    struct stretch {
        std::size_t begin, end;
    };

    void sum_over_ranks(values &numbers) const {
        lisle::detail::check(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                           MPI_DOUBLE, MPI_SUM, ranks_),
                             "MPI_Allreduce");
    }
    void check_size(const std::vector<std::span<double>> &got) const;
    /// Each field's part of the sums counts alike, however large its values are.
    [[nodiscard]] values scaled(values what) const;
    [[nodiscard]] bool measure(const values &output, const values &difference);
    [[nodiscard]] values next(const values &output, const values &difference);
    [[nodiscard]] double aitken_factor(const values &difference);
    /// How much of each change makes the difference vanish, nearly. Forgets changes that tell nothing new.
    [[nodiscard]] values least_squares(const values &difference);

    MPI_Comm ranks_;
    iteration_rule rule_;
    std::vector<stretch> fields_;
    values input_;
    std::optional<values> last_difference_, last_output_; ///< of this step
    std::deque<change> changes_;                          ///< the newest one first
    values squares_;                                      ///< of the fields' relative differences, summed up
    double factor_ = 0;                                   ///< Aitken's
    values history_;
    int step_ = 0;
    bool converged_ = false;
};

void fixed_point::state::begin(const std::vector<std::span<double>> &guess) {
    if (step_ != 0) {
        check_size(guess);
    }
    fields_.clear();
    input_.clear();
    for (const std::span<double> &each : guess) {
        fields_.push_back({input_.size(), input_.size() + each.size()});
        input_.insert(input_.end(), each.begin(), each.end());
    }
    last_difference_.reset();
    last_output_.reset();
    squares_.assign(fields_.size(), 0);
    factor_ = rule_.relaxation;
    history_.clear();
    converged_ = false;
    ++step_;
    std::erase_if(changes_, [&](const change &each) { return each.step + rule_.reused_steps < step_; });
}

void fixed_point::state::check_size(const std::vector<std::span<double>> &got) const {
    std::size_t count = 0;
    for (const std::span<double> &each : got) {
        count += each.size();
    }
    if (got.size() != fields_.size() || count != input_.size()) {
        detail::reject("a fixed point of " + std::to_string(input_.size()) + " values in " +
                       std::to_string(fields_.size()) + " fields got " + std::to_string(count) + " in " +
                       std::to_string(got.size()));
    }
}

bool fixed_point::state::repeats(const std::vector<std::span<double>> &came_out) {
    check_size(came_out);
    values output;
    for (const std::span<double> &each : came_out) {
        output.insert(output.end(), each.begin(), each.end());
    }
    const values differs = difference(output, input_);
    converged_ = measure(output, differs);
    if (converged_ || static_cast<int>(history_.size()) >= rule_.most) {
        return false;
    }
    if (last_difference_) {
        changes_.push_front(
            {difference(differs, *last_difference_), difference(output, *last_output_), step_});
    }
    input_ = next(output, differs);
    last_difference_ = differs;
    last_output_ = std::move(output);
    for (std::size_t field = 0; field != fields_.size(); ++field) {
        std::copy(input_.begin() + static_cast<std::ptrdiff_t>(fields_[field].begin),
                  input_.begin() + static_cast<std::ptrdiff_t>(fields_[field].end), came_out[field].begin());
    }
    return true;
}

bool fixed_point::state::measure(const values &output, const values &differs) {
    values sums(2 * fields_.size());
    for (std::size_t field = 0; field != fields_.size(); ++field) {
        for (std::size_t at = fields_[field].begin; at != fields_[field].end; ++at) {
            sums[2 * field] += differs[at] * differs[at];
            sums[2 * field + 1] += output[at] * output[at];
        }
    }
    sum_over_ranks(sums);
    double all = 0, largest = 0;
    bool converged = true;
    for (std::size_t field = 0; field != fields_.size(); ++field) {
        const double is = std::sqrt(sums[2 * field]), of = std::sqrt(sums[2 * field + 1]);
        // Written so that what is no number has not converged.
        converged = converged && (is <= rule_.relative * of || is <= rule_.absolute);
        largest = std::max(largest, of > 0 ? is / of : is);
        all += sums[2 * field];
    }
    for (std::size_t field = 0; field != fields_.size() && all > 0; ++field) {
        squares_[field] += sums[2 * field] / all;
    }
    history_.push_back(largest);
    return converged;
}

values fixed_point::state::scaled(values what) const {
    for (std::size_t field = 0; field != fields_.size(); ++field) {
        const double scale = squares_[field] > 0 ? 1 / std::sqrt(squares_[field]) : 1;
        for (std::size_t at = fields_[field].begin; at != fields_[field].end; ++at) {
            what[at] *= scale;
        }
    }
    return what;
}

values fixed_point::state::next(const values &output, const values &differs) {
    values made = input_;
    switch (rule_.how) {
    case acceleration::none:
        return output;
    case acceleration::constant:
        add_scaled(made, rule_.relaxation, differs);
        return made;
    case acceleration::aitken:
        add_scaled(made, aitken_factor(differs), differs);
        return made;
    case acceleration::quasi_newton:
        break;
    }
    const values parts = least_squares(differs);
    if (parts.empty()) {
        add_scaled(made, rule_.relaxation, differs);
        return made;
    }
    made = output;
    for (std::size_t at = 0; at != parts.size(); ++at) {
        add_scaled(made, parts[at], changes_[at].of_output);
    }
    return made;
}

double fixed_point::state::aitken_factor(const values &differs) {
    if (!last_difference_) {
        return factor_;
    }
    const values change = scaled(difference(differs, *last_difference_)), last = scaled(*last_difference_);
    values sums{local_dot(last, change), local_dot(change, change)};
    sum_over_ranks(sums);
    if (sums[1] > 0) {
        factor_ *= -sums[0] / sums[1];
    }
    return factor_;
}

// An orthonormal basis of the changes, the newest ones first, by Gram and Schmidt's rule, twice so that it is
// one to the last digits; then the triangle's equations from below.
values fixed_point::state::least_squares(const values &differs) {
    std::vector<values> basis;
    std::vector<values> triangle; // by column
    for (auto each = changes_.begin(); each != changes_.end();) {
        values rest = scaled(each->of_difference);
        values length{local_dot(rest, rest)};
        sum_over_ranks(length);
        const double whole = std::sqrt(length[0]);
        values column(basis.size());
        for (int pass = 0; pass != 2 && !basis.empty(); ++pass) {
            values parts(basis.size());
            for (std::size_t at = 0; at != basis.size(); ++at) {
                parts[at] = local_dot(basis[at], rest);
            }
            sum_over_ranks(parts);
            for (std::size_t at = 0; at != basis.size(); ++at) {
                add_scaled(rest, -parts[at], basis[at]);
                column[at] += parts[at];
            }
        }
        length = {local_dot(rest, rest)};
        sum_over_ranks(length);
        const double left = std::sqrt(length[0]);
        if (!(left > rule_.least_new * whole)) {
            each = changes_.erase(each);
            continue;
        }
        for (double &number : rest) {
            number /= left;
        }
        column.push_back(left);
        basis.push_back(std::move(rest));
        triangle.push_back(std::move(column));
        ++each;
    }
    const values wanted = scaled(differs);
    values parts(basis.size());
    for (std::size_t at = 0; at != basis.size(); ++at) {
        parts[at] = -local_dot(basis[at], wanted);
    }
    if (!parts.empty()) {
        sum_over_ranks(parts);
    }
    for (std::size_t row = parts.size(); row-- != 0;) {
        for (std::size_t column = row + 1; column != parts.size(); ++column) {
            parts[row] -= triangle[column][row] * parts[column];
        }
        parts[row] /= triangle[row][row];
    }
    return parts;
}

fixed_point::fixed_point(MPI_Comm ranks, const iteration_rule &rule) {
    check(rule);
    state_ = std::make_unique<state>(ranks, rule);
}
fixed_point::fixed_point(fixed_point &&) noexcept = default;
fixed_point &fixed_point::operator=(fixed_point &&) noexcept = default;
fixed_point::~fixed_point() = default;

void fixed_point::begin(const std::vector<std::span<double>> &guess) {
    state_->begin(guess);
}
bool fixed_point::repeats(const std::vector<std::span<double>> &came_out) {
    return state_->repeats(came_out);
}
bool fixed_point::has_converged() const noexcept {
    return state_->has_converged();
}
int fixed_point::iterations() const noexcept {
    return static_cast<int>(state_->history().size());
}
const std::vector<double> &fixed_point::history() const noexcept {
    return state_->history();
}

} // namespace lisle::couple
