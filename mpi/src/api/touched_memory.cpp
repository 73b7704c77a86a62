// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the program: those of memory that an operation under way uses are named; those of
// windows take part in races (rma/races). Programs that were built with `mpicc --check` tell of all of them.
// Of others the processor tells of those of a few bytes.
#include "api/touched_memory.hpp"

#include <exception>

#include "abi/call_place.hpp"
#include "api/pending_buffers.hpp"
#include "api/place_limit.hpp"
#include "execution/observed_memory.hpp"
#include "execution/rank_local.hpp"
#include "execution/watchpoints.hpp"
#include "rma/races/watch.hpp"

namespace lisle::abi {

namespace {

rma::access_kind kind_of(memory_access how) noexcept {
    return how == memory_access::load ? rma::access_kind::load : rma::access_kind::store;
}

void note(rank &self, const volatile void *address, std::size_t bytes, memory_access how, const void *code) {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    pending.of(self).touched({first, first + bytes}, how, code);
    rma::race_watch::note_local(self, {address, bytes, kind_of(how), code});
}

/// For which operations the processor has watched: that takes calls of the system.
const rank_local<place_limit> watched_by_processor;

bool note_trap(const watchpoints::access &made) noexcept {
    if (made.owner.models_in_use.load(std::memory_order_relaxed) == 0) {
        return false; // the rank has left MPI: what is still open is listed
    }
    try {
        if (made.why == watchpoints::purpose::buffer) {
            return pending.of(made.owner).touched(made.bytes, made.how, made.code);
        }
        return rma::race_watch::note_local(made.owner,
                                           {.address = reinterpret_cast<const void *>(made.bytes.begin),
                                            .bytes = made.bytes.end - made.bytes.begin,
                                            .what = kind_of(made.how),
                                            .code = made.code,
                                            .may_be_first = false});
    } catch (const std::exception &) { // without memory nothing is said
        return false;
    }
}

struct watch {
    watch() noexcept {
        watchpoints::tell = note_trap;
        rma::race_watch::name_code = [](const void *code, rma::access_kind what) -> rma::access_site {
            const code_place place = place_of(static_cast<const char *>(code) - 1);
            return {what == rma::access_kind::load ? "a load" : "a store", place.file, place.offsets};
        };
        rma::race_watch::origins_end = [](const rma::window_members *members, int target) {
            if (pending_buffers::watched()) {
                pending->accesses.end(members, target);
            }
        };
    }
};
const watch from_load_on;

} // namespace

void watch_accesses(const watched_list &used, const call_address &place) {
    if (observed->told()) {
        for (const watched_memory &each : used.all()) {
            observed->add(each.ranges());
        }
        return;
    }
    if (!watched_by_processor->wants(place.words != nullptr ? place.words : place.site)) {
        return;
    }
    using use = watched_memory::use;
    for (const use how : {use::reads, use::writes}) { // the latter last, since the latest are kept
        for (const watched_memory &each : used.all()) {
            if (each.how() == how && !each.ranges().empty()) {
                watchpoints::watch_buffer(each.ranges().front(), how == use::writes);
            }
        }
    }
}

void unwatch_accesses(const watched_list &used) {
    if (observed->told()) {
        for (const watched_memory &each : used.all()) {
            observed->remove(each.ranges());
        }
    }
}

} // namespace lisle::abi

void lisle_note_access(lisle::access_filter *filter, const volatile void *address, std::size_t bytes,
                       lisle::memory_access how, const void *site) noexcept {
    try {
        lisle::abi::note(lisle::observed_memory::owner_of(*filter), address, bytes, how, site);
    } catch (const std::exception &) { // without memory nothing is said
        return;
    }
}
