// SPDX-License-Identifier: Apache-2.0
#include "rma/races/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "diagnosis/source_line.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

namespace {

using site_text = std::array<char, 192>;

site_text text_of(const access_site &site) {
    const std::string words =
        site.file.empty() ? site.call : sentence(site.call, " at ", source_line(site.file, site.offsets));
    site_text text{};
    std::memcpy(text.data(), words.data(), std::min(words.size(), text.size() - 1));
    return text;
}

/// The places of calls in races.
struct places_of_calls {
    std::vector<site_text> own;                     ///< those that the calling rank knows
    std::vector<std::pair<int, std::size_t>> order; ///< by origin: in which all places are gathered
};

places_of_calls places_in(std::span<const race> found, int self, const std::vector<access_site> &sites) {
    places_of_calls made;
    for (std::size_t at = 0; at < 2 * found.size(); ++at) {
        const access_record &each = at % 2 == 0 ? found[at / 2].a : found[at / 2].b;
        made.order.emplace_back(each.origin, at);
        if (each.origin == self) {
            made.own.push_back(text_of(sites.at(static_cast<std::size_t>(each.site))));
        }
    }
    return made;
}

/// The places of the calls, two for each race. Each rank knows those of its own calls.
std::vector<std::string> texts_of(const window_members &members, const party &ranks,
                                  std::span<const race> found, const std::vector<access_site> &sites) {
    auto [own, order] = protocol::once_there_is_memory(
        members.home(), [&] { return places_in(found, members.rank(), sites); });
    const auto gathered = ranks.allgather_lists(std::span<const site_text>{own}, 2 * found.size());
    std::ranges::sort(order);
    std::vector<std::string> texts(order.size());
    for (std::size_t i = 0; i < std::min(order.size(), gathered.size()); ++i) {
        const site_text &text = gathered[i];
        texts[order[i].second] = std::string{text.data(), strnlen(text.data(), text.size())};
    }
    return texts;
}

std::string name_of(const window_members &members) {
    const std::string name = members.name.get();
    return name.empty() ? sentence("the window on ", members.comm().label()) : sentence("window ", name);
}

/// The part of the report that names the epoch of the two accesses.
const char *where(const race &found) {
    const bool a_is_own = found.a.epoch == epoch_kind::local;
    const bool is_own = a_is_own || found.b.epoch == epoch_kind::local;
    const epoch_kind epoch = a_is_own ? found.b.epoch : found.a.epoch;
    if (epoch == epoch_kind::fence) {
        return "between the same two fences";
    }
    if (found.a.origin == found.b.origin) {
        return "without a flush in between";
    }
    if (epoch == epoch_kind::exposure) {
        return "in one epoch of its MPI_Win_post";
    }
    return is_own ? "without a call that orders them" : "under shared locks at once";
}

/// "rank 1 (MPI_Put at halo.c:41)"
std::string party_of(const access_record &access, const std::string &place) {
    return sentence("rank ", access.origin, " (", place, ")");
}

std::string line_about(const window_members &members, const race &found, const std::string &a,
                       const std::string &b) {
    if (found.a.what == access_kind::no_puts || found.b.what == access_kind::no_puts) {
        const std::string one = party_of(found.a, a), other = party_of(found.b, b);
        const bool a_writes = found.b.what == access_kind::no_puts;
        return sentence("lisle: ", name_of(members), ": ", a_writes ? one : other, " writes to the part of ",
                        a_writes ? other : one, ", which has said MPI_MODE_NOPUT\n");
    }
    const std::int64_t first = std::max(found.a.first, found.b.first);
    const std::int64_t last = std::min(found.a.end, found.b.end) - 1;
    if (break_promise(found.a, found.b)) {
        return sentence("lisle: ", name_of(members), ": ", party_of(found.a, a), " and ",
                        party_of(found.b, b), " update bytes ", first, " to ", last, " of rank ",
                        found.a.target, "'s part with ", found.a.same_operation.data(), " and ",
                        found.b.same_operation.data(),
                        ", although accumulate_ops says that all updates of a place are of one operation\n");
    }
    // Many a program gives its part first values and relies on the others being later.
    const bool of_first_values = found.a.initial || found.b.initial;
    return sentence("lisle: ", of_first_values ? "note: " : "", "data race in ", name_of(members), ": ",
                    party_of(found.a, a), " and ", party_of(found.b, b), " access bytes ", first, " to ",
                    last, " of rank ", found.a.target, "'s part ", where(found), ", in no order\n");
}

} // namespace

void report_races(const window_members &members, const party &ranks, std::span<const race> found,
                  const std::vector<access_site> &sites) {
    if (found.empty()) {
        return;
    }
    const std::vector<std::string> texts = texts_of(members, ranks, found, sites);
    if (members.rank() != 0) {
        return;
    }
    std::string report;
    for (std::size_t i = 0; i < found.size(); ++i) {
        report += line_about(members, found[i], texts[2 * i], texts[2 * i + 1]);
    }
    // One write, so that reports do not mix.
    std::fwrite(report.data(), 1, report.size(), stderr);
}

} // namespace lisle::rma
