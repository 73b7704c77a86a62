// SPDX-License-Identifier: Apache-2.0
#include "launch/link/told_wait.hpp"

#include <cstring>

#include "launch/link/wire.hpp"

namespace lisle::launch {

namespace {

using wait_state = wait_table::state;

struct told_wait {
    std::int32_t rank = 0;
    wait_state says = wait_state::awake;
    std::vector<std::string> notes; ///< the rank's, then those of its threads
};
template <class Wire> void describe(Wire &wire, told_wait &each) {
    wire(each.rank, each.says, each.notes);
}

void add_bytes(const wait_note &note, std::vector<std::string> &notes) {
    notes.emplace_back().assign(reinterpret_cast<const char *>(&note), sizeof note);
}

wait_note note_in(const std::string &bytes) {
    wait_note note{};
    if (bytes.size() != sizeof note) {
        give_up(1, "a host tells ", bytes.size(), " bytes of a wait, not ", sizeof note);
    }
    std::memcpy(&note, bytes.data(), sizeof note);
    make_sound(note);
    return note;
}

} // namespace

std::string told(const std::vector<known_wait> &waits) {
    std::vector<told_wait> all;
    for (const auto &[rank, wait] : waits) {
        told_wait one{rank, wait.state, {}};
        if (wait.state != wait_state::awake && wait.state != wait_state::gone) { // else its note says nothing
            add_bytes(wait.note, one.notes);
            for (const wait_note &each : wait.threads) {
                add_bytes(each, one.notes);
            }
        }
        all.push_back(std::move(one));
    }
    return packed(all);
}

int add_told(std::string_view body, job_waits &all) {
    std::vector<told_wait> waits;
    unpack(body, waits);
    for (const told_wait &each : waits) {
        if (each.rank < 0 || static_cast<std::size_t>(each.rank) >= all.size()) {
            give_up(1, "a host tells what rank ", each.rank, " of ", all.size(), " waits for");
        }
        rank_wait &known = all[static_cast<std::size_t>(each.rank)];
        known = {};
        known.state = each.says <= wait_state::gone ? each.says : wait_state::awake;
        for (const std::string &bytes : each.notes) {
            const wait_note note = note_in(bytes);
            if (&bytes == &each.notes.front()) {
                known.note = note;
            } else {
                known.threads.push_back(note);
            }
        }
    }
    return static_cast<int>(waits.size());
}

} // namespace lisle::launch
