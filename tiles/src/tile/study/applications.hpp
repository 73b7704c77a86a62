// SPDX-License-Identifier: Apache-2.0
// The four programs of rMPI's thesis. They compute their real answers; what the computing costs is declared
// in cycles for each point or step.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tile/rmpi/job.hpp"

namespace lisle::tile::study {

/// One program at one size. run() is for one job: every rank calls it on the same object.
class application {
  public:
    virtual ~application() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// The part of rank `self`. A job of one rank sends no messages.
    virtual void run(rmpi::endpoint &self) = 0;
    /// The answer of the job, for comparison; valid after the run.
    [[nodiscard]] virtual const std::vector<float> &answer() const = 0;
    /// The relative difference that is allowed between answers of different numbers of ranks: sums depend on
    /// order.
    [[nodiscard]] virtual double tolerance() const = 0;
};

/// The sizes of the programs: those of the thesis, or small ones for tests.
struct application_sizes {
    int trapezoids = 16384;
    int pi_points = 65536; ///< the thesis does not say how many
    int grid = 3200;
    int grid_steps = 4; ///< the thesis does not say how many
    int product_rows = 640, product_inner = 150, product_columns = 700;
};

using application_maker = std::function<std::unique_ptr<application>()>;
/// Trapezoid, pi, Jacobi, matrix product.
[[nodiscard]] std::vector<application_maker> applications(const application_sizes &sizes);

} // namespace lisle::tile::study
