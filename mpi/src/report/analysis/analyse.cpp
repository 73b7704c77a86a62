// SPDX-License-Identifier: Apache-2.0
#include "report/analysis/analyse.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "report/analysis/replay.hpp"

namespace lisle::report {

namespace {

std::vector<trace_reader> open_all(const std::filesystem::path &folder, std::vector<std::string> &remarks) {
    std::vector<trace_reader> all;
    for (const auto &entry : std::filesystem::directory_iterator{folder}) {
        try {
            all.emplace_back(entry.path());
        } catch (const std::runtime_error &error) {
            remarks.emplace_back(error.what());
        }
    }
    std::ranges::sort(all, {}, [](const trace_reader &each) { return each.head().rank; });
    return all;
}

std::int64_t begin_of(const trace_reader &reader) {
    return static_cast<std::int64_t>(reader.head().begin);
}

/// What is known of the whole of a record: when it ends, above all, which the pictures must know before.
struct extent {
    std::int64_t end;
    std::uint64_t memory;
    bool closed;
    std::vector<phase_mark> phases;
};

extent read_through(const std::filesystem::path &file) {
    trace_reader reader{file};
    std::uint64_t end = 0;
    for (recorded_call call; reader.next(call);) {
        end = std::max(end, call.end);
    }
    return {begin_of(reader) + static_cast<std::int64_t>(std::max(end, reader.closed().value_or(0))),
            reader.most_memory(), reader.closed().has_value(), reader.phases()};
}

std::string ranks_in_words(const std::vector<int> &ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    constexpr std::size_t most = 8;
    for (std::size_t at = 0; at != std::min(ranks.size(), most); ++at) {
        text += (at == 0 ? "" : ", ") + std::to_string(ranks[at]);
    }
    return ranks.size() > most ? text + " and " + std::to_string(ranks.size() - most) + " more" : text;
}

} // namespace

run analyse(const std::filesystem::path &folder, run_listener *listener) {
    std::vector<std::string> remarks;
    std::vector<trace_reader> readers = open_all(folder, remarks);
    if (readers.empty()) {
        throw std::runtime_error{"no rank has recorded anything" +
                                 (remarks.empty() ? "" : ": " + remarks.front())};
    }
    const int size = readers.front().head().size;
    std::vector<extent> extents;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(),
                 end = std::numeric_limits<std::int64_t>::min();
    for (const trace_reader &each : readers) {
        extents.push_back(read_through(folder / ("rank." + std::to_string(each.head().rank))));
        begin = std::min(begin, begin_of(each));
        end = std::max(end, extents.back().end);
    }
    tally sums{size, static_cast<std::uint64_t>(end - begin)};
    std::vector<int> open, missing;
    for (int rank = 0, at = 0; rank != size; ++rank) {
        if (at == static_cast<int>(readers.size()) ||
            readers[static_cast<std::size_t>(at)].head().rank != rank) {
            missing.push_back(rank);
            continue;
        }
        const trace_reader &reader = readers[static_cast<std::size_t>(at)];
        const extent &known = extents[static_cast<std::size_t>(at++)];
        rank_total &total = sums.rank(rank);
        total.begin = static_cast<std::uint64_t>(begin_of(reader) - begin);
        total.end = static_cast<std::uint64_t>(known.end - begin);
        total.closed = known.closed;
        total.memory = known.memory;
        total.host = reader.head().host.data();
        if (listener != nullptr) {
            listener->rank(rank, total.host);
        }
        for (const phase_mark &each : known.phases) {
            sums.phase(rank, each.level, total.begin + each.time);
            if (listener != nullptr) {
                listener->phase(rank, each.level, total.begin + each.time);
            }
        }
        if (!known.closed) {
            open.push_back(rank);
        }
    }
    replay all{readers, sums, begin, listener};
    all.go();
    run made = std::move(sums).finish(all.ideal());
    made.remarks = std::move(remarks);
    if (!open.empty()) {
        made.remarks.push_back("The program ended before MPI_Finalize in " + ranks_in_words(open) +
                               ": what follows is what happened until then.");
    }
    if (!missing.empty()) {
        made.remarks.push_back("Nothing is known of " + ranks_in_words(missing) + ".");
    }
    return made;
}

} // namespace lisle::report
