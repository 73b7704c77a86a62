// SPDX-License-Identifier: Apache-2.0
#include "api/compared_calls.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "abi/call_place.hpp"
#include "abi/mistakes.hpp"
#include "base/checks.hpp"
#include "base/error.hpp"
#include "communicator/agreement.hpp"

namespace lisle::abi {

namespace {

party all_of(communicator &comm) {
    return {comm.channel(message_space::agreement), comm.next_agreement_tag()};
}

std::string in_words(std::span<const int> numbers) {
    constexpr std::size_t most = 16;
    std::string words;
    for (std::size_t i = 0; i < std::min(numbers.size(), most); ++i) {
        words += (i == 0 ? "" : " ") + std::to_string(numbers[i]);
    }
    return numbers.size() > most ? words + " ..." : words;
}

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max() / sizeof(int);

/// As one of its ends names it.
struct named_edge {
    int source, destination;
    int by; ///< the rank that names it
    friend auto operator<=>(const named_edge &, const named_edge &) = default;
    [[nodiscard]] bool at_source() const noexcept { return by == source; }
};

/// Those that one end names more often than the other.
std::vector<named_edge> one_sided(const std::vector<named_edge> &edges, bool at_source) {
    std::vector<named_edge> own, others;
    for (const named_edge &each : edges) {
        (each.at_source() == at_source ? own : others)
            .push_back({each.source, each.destination, at_source ? each.source : each.destination});
    }
    for (named_edge &each : others) {
        each.by = at_source ? each.source : each.destination;
    }
    std::ranges::sort(own);
    std::ranges::sort(others);
    std::vector<named_edge> found;
    std::ranges::set_difference(own, others, std::back_inserter(found));
    return found;
}

} // namespace

void compare_topologies(communicator &comm, std::span<const int> given, const char *name) {
    if (!checks(check_level::cheap) || comm.inter()) { // of which no topology can be made
        return;
    }
    const party ranks = all_of(comm);
    const auto lengths = ranks.allgather(given.size());
    const auto all = all_of(comm).allgather_lists(given, no_limit);
    std::span<const int> rest{all};
    std::span<const int> first;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
        const std::span<const int> theirs = rest.first(lengths[rank]);
        rest = rest.subspan(lengths[rank]);
        if (rank == 0) {
            first = theirs;
        }
        if (theirs.empty() || first.empty()) {
            return; // the call fails for that
        }
        if (!std::ranges::equal(theirs, first)) {
            fail(MPI_ERR_TOPOLOGY, "the ranks do not make the same call: rank ", rank, " gives the ", name,
                 " ", in_words(theirs.subspan(1)), ", rank 0 gives ", in_words(first.subspan(1)));
        }
    }
}

void compare_edges(communicator &comm, std::span<const int> sources, std::span<const int> destinations) {
    if (!checks(check_level::cheap)) {
        return;
    }
    std::vector<named_edge> own;
    for (const int source : sources) {
        if (source != comm.rank()) { // a rank knows both ends of an edge to itself
            own.push_back({source, comm.rank(), comm.rank()});
        }
    }
    for (const int destination : destinations) {
        if (destination != comm.rank()) {
            own.push_back({comm.rank(), destination, comm.rank()});
        }
    }
    const auto all = all_of(comm).allgather_lists(std::span<const named_edge>{own}, no_limit / 4);
    for (const bool at_source : {true, false}) {
        if (const auto found = one_sided(all, at_source); !found.empty()) {
            const named_edge &edge = found.front();
            fail(MPI_ERR_TOPOLOGY, "rank ", edge.by, " names ", at_source ? edge.destination : edge.source,
                 at_source ? " as a destination" : " as a source", ", but rank ",
                 at_source ? edge.destination : edge.source, " does not name ", edge.by,
                 at_source ? " as a source" : " as a destination");
        }
    }
}

void compare_calls(communicator &members) {
    if (!checks(check_level::cheap) || members.size() == 1) {
        return;
    }
    struct said {
        std::array<char, 40> call;
        std::array<char, 120> place;
    };
    said own{};
    const auto write = [](std::string_view words, std::span<char> into) {
        std::memcpy(into.data(), words.data(), std::min(words.size(), into.size() - 1));
    };
    const call_place here = current_call();
    write(here.call, own.call);
    if (checks(check_level::all)) {
        write(in_words(here), own.place);
    }
    const auto all = all_of(members).allgather(own);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (std::strcmp(all[rank].call.data(), all[0].call.data()) != 0) {
            const auto words = [](const said &of) {
                return of.place[0] != '\0' ? of.place.data() : of.call.data();
            };
            fail(MPI_ERR_NOT_SAME, "the ranks do not make the same call: rank ", rank, " calls ",
                 words(all[rank]), ", rank 0 calls ", words(all[0]));
        }
    }
}

} // namespace lisle::abi
