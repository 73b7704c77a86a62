// SPDX-License-Identifier: Apache-2.0
// Implicit coupling: components repeat a step until what they give each other no longer changes. The values
// that go around, x, are those for which H(x) = x, where H is what all components make of them in turn. To
// take H(x) for the next x converges slowly or not at all where the components are of like weight (a light
// wall in a heavy fluid); relaxation, Aitken's rule and quasi-Newton steps make better ones from the
// differences that have been seen.
//
//     couple::fixed_point pressure{all_ranks, {.relative = 1e-8}};
//     while (!fluid.is_at_end()) {
//         pressure.begin({p});                           // a guess
//         do {
//             fluid.put();
//             fluid.get();                               // the wall's answer
//             fluid.settle();
//             solve(p, wall);
//         } while (pressure.repeats({p}) && (fluid.repeat(), true));
//         fluid.advance();
//     }
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

namespace lisle::couple {

/// How the next values are made of those that went in and those that came out.
enum class acceleration {
    none,         ///< they are what came out
    constant,     ///< a fixed part of the way
    aitken,       ///< a part of the way that the last two differences tell (Irons and Tuck, 1969)
    quasi_newton, ///< the least squares of all differences, IQN-ILS (Degroote, Bathe and Vierendeels, 2009)
};

struct iteration_rule {
    acceleration how = acceleration::quasi_newton;
    double relaxation = 0.5; ///< part of the way of `constant`, and of the others' first step
    /// Converged when, of each field, what came out differs from what went in by at most this part of it, in
    /// the Euclidean norm ...
    double relative = 1e-6;
    double absolute = 0; ///< ... or by at most this
    int most = 100;      ///< iterations of one step
    /// Quasi-Newton: steps before the present one whose differences are used, too.
    int reused_steps = 8;
    /// Quasi-Newton: differences are left out of which less than this part is new.
    double least_new = 1e-8;
};

/// One fixed point after another, of values that are dealt out among ranks. All calls but the last three are
/// collective; each rank passes its parts of the same number of fields, always of the same sizes.
class fixed_point {
  public:
    /// Throws std::invalid_argument for a rule that cannot be followed.
    fixed_point(MPI_Comm ranks, const iteration_rule &rule);
    fixed_point(fixed_point &&) noexcept;
    fixed_point &operator=(fixed_point &&) noexcept;
    ~fixed_point();

    /// A new step begins with this guess.
    void begin(const std::vector<std::span<double>> &guess);
    /// @param came_out of the values that were begun with or made last; becomes the next ones
    /// @return false when they have converged, or after the most iterations; `came_out` stays as it is then
    [[nodiscard]] bool repeats(const std::vector<std::span<double>> &came_out);

    [[nodiscard]] bool has_converged() const noexcept;
    /// Of the present step.
    [[nodiscard]] int iterations() const noexcept;
    /// By iteration of the present step: the largest of the fields' relative differences.
    [[nodiscard]] const std::vector<double> &history() const noexcept;

  private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace lisle::couple
