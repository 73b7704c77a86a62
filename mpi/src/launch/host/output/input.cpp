// SPDX-License-Identifier: Apache-2.0
// Standard input belongs to the job's first rank, or the one that -stdin names; the others find it empty, as
// processes do whose launcher gives them /dev/null.
#include "launch/host/image/private_object.hpp"
#include "launch/host/output/output.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "world/process_record.hpp"

#include <cstdio>

namespace lisle::host {

std::FILE *input_of(const hosted_rank &rank) {
    static std::FILE *const nothing = std::fopen("/dev/null", "re");
    return rank.number == own_record().input ? stdin : nothing;
}

namespace {

const private_objects input_objects{
    {"stdin", sizeof(std::FILE *),
     [](hosted_rank &rank, void *place) { *static_cast<std::FILE **>(place) = input_of(rank); }},
};

} // namespace

} // namespace lisle::host
