// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "report/page/json.hpp"
#include "report/page/page_parts.hpp"
#include "report/page/summary.hpp"

namespace lisle::report {

namespace {

constexpr std::size_t most_calls = 60, most_path = 4000, most_shown_ranks = 4096;

void add_ranks(json &to, const run &told) {
    to.key("ranks").begin_array();
    for (std::size_t rank = 0; rank != std::min(told.ranks.size(), most_shown_ranks); ++rank) {
        const rank_total &each = told.ranks[rank];
        to.begin_array().value(each.time()).value(each.computing()).value(each.on_path);
        to.value(each.messages).value(each.bytes).value(each.memory).value(each.host).value(each.closed);
        for (const std::uint64_t wait : each.waits) {
            to.value(wait);
        }
        to.value(told.late[rank]).value(each.begin).value(each.end);
        to.value(each.unexpected).value(each.stored).end_array();
    }
    to.end_array();
}

void add_calls(json &to, const run &told) {
    std::vector<decltype(told.calls)::const_iterator> calls;
    for (auto at = told.calls.begin(); at != told.calls.end(); ++at) {
        calls.push_back(at);
    }
    std::ranges::sort(calls, {}, [](const auto &each) { return -static_cast<double>(each->second.time); });
    to.key("call_count").value(std::uint64_t{calls.size()}).key("calls").begin_array();
    for (std::size_t at = 0; at != std::min(calls.size(), most_calls); ++at) {
        const auto &[key, sum] = *calls[at];
        to.begin_array()
            .value(name_of_call(key.first))
            .value(told.places[key.second])
            .value(sum.count)
            .value(sum.time);
        to.value(sum.longest).value(sum.bytes).value(sum.wait);
        const auto late =
            std::ranges::max_element(sum.waits_for, {}, [](const auto &each) { return each.second; });
        to.value(late == sum.waits_for.end() || late->second == 0 ? -1 : late->first);
        for (const std::uint64_t wait : sum.states) {
            to.value(wait);
        }
        to.end_array();
    }
    to.end_array();
}

void add_square(json &to, std::string_view name, const square &cells) {
    to.key(name).begin_array();
    for (const std::uint64_t each : cells.cells) {
        to.value(each);
    }
    to.end_array();
}

void add_timeline(json &to, const run &told) {
    std::vector<unsigned char> shares;
    for (const auto &bin : told.timeline) {
        for (const float share : bin) {
            shares.push_back(static_cast<unsigned char>(std::lround(std::clamp(share, 0.0F, 1.0F) * 255)));
        }
    }
    to.key("bins").value(run::bins).key("timeline").bytes(shares);
}

/// As parts of 255 of the most.
void add_memory(json &to, const run &told) {
    const auto most = std::max<std::uint64_t>(*std::ranges::max_element(told.memory), 1);
    std::vector<unsigned char> parts;
    for (const std::uint64_t each : told.memory) {
        parts.push_back(static_cast<unsigned char>(
            std::lround(255 * static_cast<double>(each) / static_cast<double>(most))));
    }
    to.key("most_memory").value(most).key("memory").bytes(parts);
}

class byte_row {
  public:
    template <class Number> byte_row &add(Number value) {
        const auto at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
        return *this;
    }
    [[nodiscard]] const std::vector<unsigned char> &bytes() const { return bytes_; }

  private:
    std::vector<unsigned char> bytes_;
};

/// Times of single calls as parts of 2^32 of the run.
void add_shown(json &to, const run &told) {
    const double scale = 4294967295.0 / static_cast<double>(told.duration);
    const auto scaled = [scale](std::uint64_t ns) {
        return static_cast<std::uint32_t>(std::min(static_cast<double>(ns) * scale, 4294967295.0));
    };
    std::map<std::uint32_t, std::uint16_t> names;
    std::vector<std::uint32_t> ids;
    byte_row row;
    for (const shown_call &each : told.shown) {
        const auto [entry, is_new] = names.try_emplace(each.id, static_cast<std::uint16_t>(names.size()));
        if (is_new) {
            ids.push_back(each.id);
        }
        row.add(scaled(each.begin))
            .add(scaled(each.end - each.begin))
            .add(scaled(each.wait))
            .add(each.rank)
            .add(each.waits_for);
        row.add(entry->second).add(static_cast<std::uint16_t>(std::min<std::uint32_t>(each.place, 65535)));
    }
    to.key("shown").bytes(row.bytes()).key("all_shown").value(told.all_shown).key("names").begin_array();
    for (const std::uint32_t id : ids) {
        to.begin_array().value(name_of_call(id)).value(static_cast<int>(activity_of(id))).end_array();
    }
    to.end_array().key("places").begin_array();
    for (const std::string &place : told.places) {
        to.value(place);
    }
    to.end_array();
}

/// Pieces too short to be seen are left out.
void add_path(json &to, const run &told) {
    std::vector<path_piece> pieces = told.path;
    if (pieces.size() > most_path) {
        std::ranges::nth_element(pieces, pieces.begin() + most_path, {}, [](const path_piece &each) {
            return -static_cast<double>(each.end - each.begin);
        });
        pieces.resize(most_path);
        std::ranges::sort(pieces, {}, &path_piece::begin);
    }
    to.key("path").begin_array();
    for (const path_piece &each : pieces) {
        to.value(each.rank).value(each.begin).value(each.end);
    }
    to.end_array();
}

void add_rest(json &to, const run &told) {
    to.key("sizes").begin_array();
    for (const auto &[power, sums] : told.sizes) {
        to.begin_array().value(power).value(sums.first).value(sums.second).end_array();
    }
    to.end_array().key("phases").begin_array();
    for (const auto &[where, level] : told.phases) {
        to.begin_array().value(where.first).value(where.second).value(level).end_array();
    }
    to.end_array().key("window_bytes").value(told.window_bytes).key("file_bytes").value(told.file_bytes);
    to.key("calls_recorded").value(told.calls_recorded).key("programs").begin_array();
    for (const auto &[first, name] : told.programs) {
        to.begin_array().value(first).value(name).end_array();
    }
    to.end_array();
    const efficiencies &pop = told.pop;
    to.key("pop")
        .begin_array()
        .value(pop.parallel)
        .value(pop.load_balance)
        .value(pop.communication)
        .value(pop.serialisation);
    to.value(pop.transfer).end_array();
    to.key("states").begin_array();
    for (std::size_t which = 0; which != wait_states; ++which) {
        to.value(name_of_state(static_cast<wait_state>(which)));
    }
    to.end_array();
}

std::string escaped(const std::string &text) {
    std::string made;
    for (const char each : text) {
        made += each == '<' ? "&lt;" : each == '&' ? "&amp;" : std::string(1, each);
    }
    return made;
}

std::string data_of(const run &told) {
    json to;
    to.begin_object()
        .key("duration")
        .value(told.duration)
        .key("size")
        .value(std::uint64_t{told.ranks.size()});
    to.key("rows").value(told.rows.rows).key("per_row").value(told.rows.per_row);
    add_ranks(to, told);
    add_calls(to, told);
    add_square(to, "messages", told.messages);
    add_square(to, "bytes", told.bytes);
    add_square(to, "waits", told.waits);
    add_timeline(to, told);
    add_memory(to, told);
    add_shown(to, told);
    add_path(to, told);
    add_rest(to, told);
    to.end_object();
    return to.text();
}

} // namespace

std::string page_of(const run &told, const std::string &title) {
    std::string sentences;
    for (const std::string &each : summary_of(told)) {
        sentences += "<p>" + escaped(each) + "</p>\n";
    }
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
           escaped(title) + "</title>\n<style>\n" + std::string{page_style} +
           "</style>\n</head>\n<body>\n<header><h1>" + escaped(title) + "</h1>\n<div id=\"summary\">\n" +
           sentences + "</div></header>\n" + std::string{page_body} +
           "<script>\nconst run = " + data_of(told) + ";\n" + std::string{page_script} +
           "</script>\n</body>\n</html>\n";
}

} // namespace lisle::report
