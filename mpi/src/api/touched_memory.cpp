// SPDX-License-Identifier: Apache-2.0
// Loads and stores of programs that were built with `mpicc --check`: those of memory that an operation under
// way uses are named; those of windows take part in races (rma/races).
#include <exception>

#include "abi/call_place.hpp"
#include "api/pending_buffers.hpp"
#include "execution/observed_memory.hpp"
#include "rma/races/watch.hpp"

namespace lisle::abi {

namespace {

void note(rank &self, const volatile void *address, std::size_t bytes, memory_access how, const void *code) {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    pending.of(self).touched({first, first + bytes}, how, code);
    const auto what = how == memory_access::load ? rma::access_kind::load : rma::access_kind::store;
    rma::race_watch::note_local(self, {address, bytes, what, code});
}

struct watch {
    watch() noexcept {
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

} // namespace lisle::abi

void lisle_note_access(lisle::access_filter *filter, const volatile void *address, std::size_t bytes,
                       lisle::memory_access how, const void *site) noexcept {
    try {
        lisle::abi::note(lisle::observed_memory::owner_of(*filter), address, bytes, how, site);
    } catch (const std::exception &) { // without memory nothing is said
        return;
    }
}
