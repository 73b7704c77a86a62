// SPDX-License-Identifier: Apache-2.0
#include "couple/component_activity.hpp"

#include <functional>

#include <lisle/communicator.hpp>

namespace lisle::couple::detail {

component_activity measured(activity &own, MPI_Comm all_ranks, double stretch) {
    const communicator ranks{all_ranks};
    own.widen(stretch);
    double sum = 0;
    for (const double each : own.waited()) {
        sum += each;
    }
    component_activity all;
    all.ranks = ranks.size();
    all.length = ranks.allreduce(own.length(), maximum{});
    const double part = sum / own.length();
    all.least_waited = ranks.allreduce(part, minimum{});
    all.most_waited = ranks.allreduce(part, maximum{});
    all.waited = ranks.allreduce(part, std::plus<>{}) / all.ranks;
    all.parts = own.waited();
    lisle::detail::check(MPI_Allreduce(MPI_IN_PLACE, all.parts.data(), static_cast<int>(all.parts.size()),
                                       MPI_DOUBLE, MPI_SUM, all_ranks),
                         "MPI_Allreduce");
    for (double &each : all.parts) {
        each /= stretch * all.ranks;
    }
    return all;
}

} // namespace lisle::couple::detail
