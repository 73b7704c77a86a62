// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "report/analysis/activity.hpp"
#include "report/trace/call_names.hpp"

namespace lisle::report {

namespace {

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings, [name](std::string_view each) { return name.starts_with(each); });
}

activity activity_by_name(std::string_view name) {
    name.remove_prefix(std::string_view{"MPI_"}.size());
    if (begins_with_one_of(name, {"Wait", "Test", "Parrived"})) {
        return activity::completion;
    }
    if (begins_with_one_of(name, {"File_"})) {
        return activity::file;
    }
    if (begins_with_one_of(name, {"Win_", "Put", "Get", "Rput", "Rget", "Accumulate", "Raccumulate", "Fetch",
                                  "Compare_and"})) {
        return activity::one_sided;
    }
    if (begins_with_one_of(name, {"Send",   "Bsend",   "Ssend", "Rsend", "Isend",  "Ibsend", "Issend",
                                  "Irsend", "Recv",    "Irecv", "Mrecv", "Imrecv", "Probe",  "Iprobe",
                                  "Mprobe", "Improbe", "Start", "Psend", "Precv",  "Pready"})) {
        return activity::messages;
    }
    if (begins_with_one_of(name, {"Allgather", "Allreduce", "Alltoall", "Barrier",  "Bcast",
                                  "Exscan",    "Gather",    "Reduce",   "Scan",     "Scatter",
                                  "Neighbor",  "Iall",      "Ibarrier", "Ibcast",   "Iexscan",
                                  "Igather",   "Ireduce",   "Iscan",    "Iscatter", "Ineighbor"})) {
        return activity::collective;
    }
    return activity::other;
}

} // namespace

activity activity_of(std::uint32_t id) {
    static const auto all = [] {
        std::array<activity, call_names.size()> made{};
        std::ranges::transform(call_names, made.begin(), activity_by_name);
        return made;
    }();
    return id < all.size() ? all[id] : activity::other;
}

} // namespace lisle::report
