// SPDX-License-Identifier: Apache-2.0
#include "collective/call_log.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "collective/check.hpp"
#include "collective/schedule/planning.hpp"
#include "communicator/agreement.hpp"
#include "datatype/predefined.hpp"

namespace lisle::collective {

namespace {

/// Calls that differ somehow and are looked at more closely: most of them fit all the same.
constexpr std::size_t most_looked_at = 16;
constexpr std::uint64_t prime = 0x100000001b3;

std::uint64_t add(std::uint64_t sum, std::uint64_t value) noexcept {
    sum = (sum ^ value) * prime;
    return sum ^ sum >> 29;
}

std::uint64_t add(std::uint64_t sum, const char *text) noexcept {
    for (; text != nullptr && *text != '\0'; ++text) {
        sum = (sum ^ static_cast<unsigned char>(*text)) * prime;
    }
    return sum;
}

} // namespace

call_log &call_log::of(const communicator &comm) {
    communicator::companion &place = comm.call_log_companion;
    if (place.kept == nullptr) [[unlikely]] {
        place.kept = std::make_shared<call_log>();
    }
    return *static_cast<call_log *>(place.kept.get());
}

void call_log::note(const collective_call &call, const char *name, std::int64_t root, std::int64_t bytes,
                    const op *reduction) {
    call_log &log = of(call.comm);
    log.add_latest();
    const bool inter = call.comm.inter(); // where groups have different parts, and roots other names
    log.entries_[log.calls_ % depth] = {
        .name = name,
        .operation = reduction == nullptr ? nullptr : operation_in_words(*reduction),
        .root = inter ? call_signature::unsaid : root,
        .bytes = inter ? call_signature::unsaid : bytes,
        .how = call.how,
    };
    ++log.calls_;
}

void call_log::note_elements(const communicator &comm, const datatype &type) {
    call_log &log = of(comm);
    log.entries_[(log.calls_ - 1) % depth].elements =
        static_cast<std::uint8_t>(uniform_basic_type(type).value_or(basic_type::none));
}

void call_log::add_latest() noexcept {
    if (summed_ == calls_) {
        return;
    }
    const entry &latest = entries_[(calls_ - 1) % depth];
    std::uint64_t sum = add(0, latest.name);
    sum = add(sum, static_cast<std::uint64_t>(latest.root));
    sum = add(sum, static_cast<std::uint64_t>(latest.bytes));
    sum = add(sum, latest.operation);
    sum = add(sum, static_cast<std::uint64_t>(latest.how) << 8 | latest.elements);
    sums_[(calls_ - 1) % depth] = sum;
    sum_ = add(sum_, sum);
    summed_ = calls_;
}

call_signature call_log::signature_at(std::uint64_t call) const {
    const entry &noted = entries_[call % depth];
    return signature_of(noted.how, noted.name, noted.operation, noted.root, noted.bytes, noted.elements);
}

void call_log::compare(communicator &comm) {
    if (comm.size() > 1 && !comm.inter() && !comm.of_threads()) {
        of(comm).compare_among({comm.channel(message_space::agreement), comm.next_agreement_tag()}, comm);
    }
}

void call_log::compare_among(const party &ranks, const communicator &comm) {
    add_latest();
    struct state {
        std::uint64_t calls, sum;
        bool operator==(const state &) const = default;
    };
    const auto states = ranks.allgather(state{calls_, sum_});
    if (std::ranges::all_of(states, [&](const state &each) { return each == states.front(); })) {
        return;
    }
    const std::uint64_t fewest = std::ranges::min(states, {}, &state::calls).calls;
    const std::uint64_t most = std::ranges::max(states, {}, &state::calls).calls;
    // What all ranks have made and still know.
    const std::uint64_t first = most > depth ? std::min(most - depth, fewest) : 0;
    std::array<std::uint64_t, depth> sums{};
    for (std::uint64_t call = first; call < fewest; ++call) {
        sums[call - first] = sums_[call % depth];
    }
    const auto all_sums = ranks.allgather(sums);
    std::size_t looked_at = 0;
    for (std::uint64_t call = first; call < fewest && looked_at < most_looked_at; ++call) {
        const auto is_alike = [&](const auto &each) {
            return each[call - first] == all_sums[0][call - first];
        };
        if (!std::ranges::all_of(all_sums, is_alike)) {
            ++looked_at;
            compare_one(ranks, call, comm);
        }
    }
    const auto other =
        std::ranges::find_if(states, [&](const state &each) { return each.calls != states.front().calls; });
    if (other != states.end()) {
        fail(MPI_ERR_OTHER, "the ranks have not made the same calls on ", comm.label(), ": rank ",
             other - states.begin(), " has made ", other->calls, " collective calls, rank 0 ",
             states.front().calls);
    }
}

void call_log::compare_one(const party &ranks, std::uint64_t call, const communicator &comm) const {
    const auto all = ranks.allgather(signature_at(call));
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (const auto found = disagreement(static_cast<int>(rank), all[rank], all.front())) {
            fail(found->code(), found->what(), " (collective call ", call + 1, " on ", comm.label(), ')');
        }
    }
}

} // namespace lisle::collective
