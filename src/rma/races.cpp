// SPDX-License-Identifier: Apache-2.0
#include "rma/races.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "diagnosis/source_line.hpp"
#include "rma/window.hpp"

namespace lisle::rma {

namespace {

constexpr std::size_t most_pieces = 4096; ///< that a rank keeps of one epoch
constexpr std::size_t most_of_access = 64;
constexpr std::size_t most_named = 4;
constexpr std::size_t most_looks = 1'000'000; ///< at pairs

/// A piece of memory that a rank has accessed, as the ranks tell each other.
struct piece {
    std::int32_t origin;
    std::int32_t target;
    std::int64_t first, end; ///< bytes of the target's part
    std::int32_t site;       ///< number among the origin's
    access_kind what;
};

/// What a rank has accessed in the present epoch.
struct epoch_record {
    bool of_fences = false;
    std::vector<piece> pieces;
    std::vector<access_site> sites;
};

struct table {
    std::mutex mutex; ///< protects `records`; nothing else is locked with it
    std::unordered_map<const window *, epoch_record> records;
};
table &all() {
    static auto *const made = new table; // ranks may still end while static objects are destroyed
    return *made;
}

std::int32_t number_of_site(epoch_record &record, const access_site &site) {
    const auto found = std::ranges::find(record.sites, site);
    const auto number = static_cast<std::int32_t>(found - record.sites.begin());
    if (found == record.sites.end()) {
        record.sites.push_back(site);
    }
    return number;
}

/// Accesses that the ranks' common epoch does not order. Accumulates are atomic and ordered among themselves.
bool conflict(access_kind a, access_kind b) noexcept {
    return a == access_kind::put || b == access_kind::put || a != b;
}

struct race {
    piece a, b;
};

/// The same at all ranks, which all have the same pieces.
std::vector<race> find_among(std::vector<piece> &pieces) {
    std::ranges::stable_sort(pieces, {}, [](const piece &each) {
        return std::pair{each.target, each.first};
    });
    std::vector<race> found;
    std::set<std::tuple<int, int, int, int, int>> named; // one race for each pair of calls
    std::size_t looks = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const piece &a = pieces[i];
        for (std::size_t j = i + 1;
             j < pieces.size() && pieces[j].target == a.target && pieces[j].first < a.end; ++j) {
            if (++looks > most_looks || found.size() == most_named) {
                return found;
            }
            const piece &b = pieces[j];
            if (conflict(a.what, b.what) &&
                named.insert({a.target, a.origin, a.site, b.origin, b.site}).second) {
                found.push_back({a, b});
            }
        }
    }
    return found;
}

using site_text = std::array<char, 192>;

site_text text_of(const access_site &site) {
    const std::string words =
        site.file.empty() ? site.call : sentence(site.call, " at ", source_line(site.file, site.offset));
    site_text text{};
    std::memcpy(text.data(), words.data(), std::min(words.size(), text.size() - 1));
    return text;
}

/// Where the accesses of the races were called, two for each: every rank knows its own.
std::vector<std::string> texts_of(const party &ranks, std::span<const race> found, int self,
                                  const std::vector<access_site> &sites) {
    std::vector<site_text> own;
    std::vector<std::pair<int, std::size_t>> order; // by origin, as they are gathered
    for (std::size_t at = 0; at < 2 * found.size(); ++at) {
        const piece &each = at % 2 == 0 ? found[at / 2].a : found[at / 2].b;
        order.emplace_back(each.origin, at);
        if (each.origin == self) {
            own.push_back(text_of(sites.at(static_cast<std::size_t>(each.site))));
        }
    }
    const auto gathered = ranks.allgather_lists(std::span<const site_text>{own}, 2 * found.size());
    std::ranges::sort(order);
    std::vector<std::string> texts(order.size());
    for (std::size_t i = 0; i < std::min(order.size(), gathered.size()); ++i) {
        const site_text &text = gathered[i];
        texts[order[i].second] = std::string{text.data(), strnlen(text.data(), text.size())};
    }
    return texts;
}

void check_pieces(const window &on, std::span<const piece> pieces) {
    for (const piece &each : pieces) {
        if (each.origin < 0 || each.origin >= on.size() || each.target < 0 || each.target >= on.size()) {
            fail(MPI_ERR_OTHER, "a peer tells of an access by rank ", each.origin, " to rank ", each.target,
                 " of a window that has ", on.size());
        }
    }
}

std::string name_of(const window &on) {
    const std::string name = on.name();
    return name.empty() ? sentence("the window on ", on.comm().label()) : sentence("window ", name);
}

std::string line_about(const window &on, const race &found, const std::string &a, const std::string &b) {
    const std::int64_t first = std::max(found.a.first, found.b.first);
    const std::int64_t last = std::min(found.a.end, found.b.end) - 1;
    return sentence("lisle: data race in ", name_of(on), ": rank ", found.a.origin, " (", a, ") and rank ",
                    found.b.origin, " (", b, ") access bytes ", first, " to ", last, " of rank ",
                    found.a.target, "'s part between the same two fences, in no order\n");
}

} // namespace

bool races::watched() noexcept {
    return checks(check_level::cheap);
}

bool races::keeps(const window &on) {
    const std::scoped_lock guard{all().mutex};
    const auto found = all().records.find(&on);
    return found != all().records.end() && found->second.of_fences;
}

void races::note(const window &on, const target_data &target, MPI_Count bytes, access_kind what,
                 const access_site &site) {
    const MPI_Aint offset = target.disp * static_cast<MPI_Aint>(on.at(target.rank).facts.unit);
    std::vector<piece> runs;
    for_each_run({reinterpret_cast<void *>(offset), target.count, *target.type}, 0, bytes,
                 [&](std::uint64_t address, std::size_t length) {
                     const auto first = static_cast<std::int64_t>(address);
                     if (runs.size() <= most_of_access) {
                         runs.push_back({on.rank(), target.rank, first,
                                         first + static_cast<std::int64_t>(length), 0, what});
                     }
                 });
    const std::scoped_lock guard{all().mutex};
    epoch_record &record = all().records[&on];
    if (!record.of_fences || runs.size() > most_of_access ||
        record.pieces.size() + runs.size() > most_pieces) {
        return;
    }
    const std::int32_t number = number_of_site(record, site);
    for (piece &run : runs) {
        run.site = number;
        record.pieces.push_back(run);
    }
}

void races::begin_epoch(const window &on, bool of_fences) {
    if (!watched()) {
        return;
    }
    const std::scoped_lock guard{all().mutex};
    epoch_record &record = all().records[&on];
    record.of_fences = of_fences;
}

void races::end_epoch_of_fences(window &on) {
    if (!watched()) {
        return;
    }
    epoch_record ended;
    {
        const std::scoped_lock guard{all().mutex};
        ended = std::exchange(all().records[&on], {});
    }
    communicator &members = on.comm();
    const party ranks{members.channel(message_space::agreement), members.next_agreement_tag()};
    std::vector<piece> pieces = ranks.allgather_lists(std::span<const piece>{ended.pieces},
                                                      most_pieces * static_cast<std::size_t>(on.size()));
    check_pieces(on, pieces);
    const std::vector<race> found = find_among(pieces);
    if (found.empty()) {
        return;
    }
    const std::vector<std::string> texts = texts_of(ranks, found, on.rank(), ended.sites);
    if (on.rank() != 0) {
        return;
    }
    std::string report;
    for (std::size_t i = 0; i < found.size(); ++i) {
        report += line_about(on, found[i], texts[2 * i], texts[2 * i + 1]);
    }
    // One write, so that reports do not mix.
    std::fwrite(report.data(), 1, report.size(), stderr);
}

void races::forget(const window &on) noexcept {
    if (watched()) {
        const std::scoped_lock guard{all().mutex};
        all().records.erase(&on);
    }
}

} // namespace lisle::rma
