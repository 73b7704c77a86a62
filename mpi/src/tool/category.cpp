// SPDX-License-Identifier: Apache-2.0
#include "tool/category.hpp"

#include <numeric>

#include "tool/control.hpp"
#include "tool/event.hpp"
#include "tool/performance.hpp"

namespace lisle::tool {

namespace {

std::vector<category> make() {
    category messages{"lisle_messages", "how messages travel", {}, {}, {}, {}};
    category waiting{"lisle_waiting", "what a rank does that waits", {}, {}, {}, {}};
    category collectives{"lisle_collectives", "collective operations and their algorithms", {}, {}, {}, {}};
    category launching{"lisle_launching", "how jobs are started", {}, {}, {}, {}};
    category objects{"lisle_objects", "the beginning and the end of communicators", {}, {}, {}, {}};
    const auto &controls = control_variables();
    for (std::size_t i = 0; i < controls.size(); ++i) {
        const setting which = controls[i].which;
        category &place = is_algorithm(which) || which == setting::collectives   ? collectives
                          : which == setting::wait                               ? waiting
                          : description_of(which).read_by == audience::launching ? launching
                                                                                 : messages;
        place.controls.push_back(static_cast<int>(i));
    }
    const auto performances = performance_variables();
    for (std::size_t i = 0; i < performances.size(); ++i) {
        category &place = performances[i].binding == MPI_T_BIND_MPI_COMM ? collectives
                          : performances[i].name == "lisle_sleeps"       ? waiting
                                                                         : messages;
        place.performances.push_back(static_cast<int>(i));
    }
    objects.events.resize(event_types().size());
    std::iota(objects.events.begin(), objects.events.end(), 0);
    category everything{"lisle", "all that Lisle tells tools", {}, {}, {}, {1, 2, 3, 4, 5}};
    return {everything, messages, waiting, collectives, objects, launching};
}

} // namespace

const std::vector<category> &all_categories() {
    // Never destroyed: tools may ask while the process's static objects are taken down.
    static const std::vector<category> &made = *new std::vector<category>{make()};
    return made;
}

} // namespace lisle::tool
