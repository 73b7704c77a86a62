// SPDX-License-Identifier: Apache-2.0
// The lines of a report about operations that have been begun and not waited for.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "diagnosis/source_line.hpp"
#include "diagnosis/wait_report.hpp"

namespace lisle {

namespace {

constexpr std::size_t most_lines = 12;

/// "MPI_Irecv from rank 1, tag 9, at ring.c:12"
std::string text_of(const wait_note &note, const wait_note::begun_operation &each) {
    using sort = wait_note::sort;
    std::string text = each.call;
    const bool sends = each.what == sort::send || each.what == sort::synchronous_send;
    if (sends || each.what == sort::receive) {
        text += sends ? " to " : " from ";
        text += each.peer == wait_note::anybody ? "any rank" : sentence("rank ", each.peer);
        text += each.tag < 0 ? ", any tag" : sentence(", tag ", each.tag);
    }
    if (each.place[0] != '\0') {
        return text + ", at " + each.place;
    }
    return each.offsets[0] == 0 || note.file[0] == '\0'
               ? text
               : text + ", at " + source_line(note.file, each.offsets);
}

std::string text_of(const wait_note &note) {
    std::string text;
    const auto listed = std::min(note.begun_count, wait_note::most_begun);
    for (std::uint32_t i = 0; i < listed; ++i) {
        text += (i == 0 ? "" : "; ") + text_of(note, note.begun[i]);
    }
    return listed == note.begun_count ? text : text + sentence("; and ", note.begun_count - listed, " more");
}

} // namespace

std::string begun_operations(const job_waits &job) {
    std::vector<std::pair<std::string, std::vector<int>>> lines;
    for (int rank = 0; rank < static_cast<int>(job.size()); ++rank) {
        const rank_wait &each = job[static_cast<std::size_t>(rank)];
        if (each.state != wait_table::state::waiting || each.note.begun_count == 0) {
            continue;
        }
        std::string text = text_of(each.note);
        const auto like =
            std::ranges::find_if(lines, [&text](const auto &line) { return line.first == text; });
        if (like != lines.end()) {
            like->second.push_back(rank);
        } else {
            lines.emplace_back(std::move(text), std::vector{rank});
        }
    }
    std::string report;
    for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) {
        const auto &[text, ranks] = lines[i];
        report += sentence(ranks.size() > 1 ? "Ranks " : "Rank ", rank_list(ranks),
                           ranks.size() > 1 ? " have" : " has", " begun and not waited for: ", text, ".\n");
    }
    return lines.size() <= most_lines
               ? report
               : report + sentence("And ", lines.size() - most_lines, " more such lines.\n");
}

} // namespace lisle
