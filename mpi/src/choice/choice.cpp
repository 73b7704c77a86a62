// SPDX-License-Identifier: Apache-2.0
#include "choice/choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi.h"

namespace lisle::choice {

namespace {

constexpr std::array<std::string_view, 9> names{"receive", "probe", "poll", "completion", "test",
                                                "posted",  "turn",  "look", "send"};

/// The words of a line, one after the other.
class line_reader {
  public:
    explicit line_reader(std::string_view line) : line_{line}, rest_{line} {}
    [[nodiscard]] std::string_view word() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
        const auto found = rest_.substr(0, std::min(rest_.find(' '), rest_.size()));
        rest_.remove_prefix(found.size());
        return found;
    }
    [[nodiscard]] std::string_view rest() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
        return rest_;
    }
    [[nodiscard]] bool ended() { return rest().empty(); }
    template <class Number = int> [[nodiscard]] Number number() {
        const std::string_view text = word();
        Number value{};
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
            refuse("a number is missing");
        }
        return value;
    }
    [[noreturn]] void refuse(const char *why) const {
        fail(MPI_ERR_FILE, "this line of a file of choices makes no sense, ", why, ": ", line_);
    }

  private:
    std::string_view line_, rest_;
};

decision read_decision(kind what, line_reader &line) {
    decision made{.at = {what, line.number(), line.number<unsigned>()}, .taken = 0};
    if (line.word() != "takes") {
        line.refuse("'takes' is missing");
    }
    made.taken = line.number();
    while (!line.ended()) {
        const std::string_view word = line.word();
        if (word == "of") {
            for (int count = line.number(); count > 0; --count) {
                made.others.push_back(line.number());
            }
        } else if (word == "departs") {
            made.departs = true;
        } else if (word == "posting") {
            made.posting = line.number<unsigned>();
        } else if (word == "waits") {
            made.waits = true;
        } else if (word == "in") {
            made.told = line.rest();
            break;
        } else {
            line.refuse("a word is not known");
        }
    }
    return made;
}

// "buffered", "synchronous", "buffered to 15", "each".
std::string text_of(const buffering &sends) {
    if (sends.each_chosen) {
        return "sends each\n";
    }
    if (sends.most_bytes == buffering::everything || sends.most_bytes == buffering::nothing) {
        return sends.most_bytes == buffering::nothing ? "sends synchronous\n" : "sends buffered\n";
    }
    return sentence("sends buffered to ", sends.most_bytes, "\n");
}

buffering read_buffering(line_reader &line) {
    const std::string_view how = line.word();
    if (how == "each") {
        return {.each_chosen = true};
    }
    if (how == "synchronous") {
        return {.most_bytes = buffering::nothing};
    }
    if (how != "buffered") {
        line.refuse("sends are buffered, synchronous, or each as chosen");
    }
    if (line.ended()) {
        return {};
    }
    if (line.word() != "to") {
        line.refuse("'to' is missing");
    }
    return {.most_bytes = line.number<std::int64_t>()};
}

/// Calls `visit(first word, the rest)` for each line that says something.
template <class Visit> void each_line(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!line.empty() && !line.starts_with('#')) {
            line_reader reader{line};
            const std::string_view first = reader.word();
            visit(first, reader);
        }
    }
}

std::optional<kind> kind_named(std::string_view name) noexcept {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional{static_cast<kind>(found - names.begin())};
}

} // namespace

int size_class(std::int64_t bytes) noexcept {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
}

std::int64_t most_bytes_of(int size_class) noexcept {
    return (std::int64_t{1} << size_class) - 1;
}

std::string_view name_of(kind what) noexcept {
    return names[static_cast<std::size_t>(what)];
}

std::string text_of(const decision &made) {
    std::string text =
        sentence(name_of(made.at.what), " ", made.at.rank, " ", made.at.number, " takes ", made.taken);
    if (!made.others.empty()) {
        text += sentence(" of ", made.others.size());
        for (const int other : made.others) {
            text += sentence(" ", other);
        }
    }
    text += made.posting != 0 ? sentence(" posting ", made.posting) : "";
    text += made.departs ? " departs" : "";
    text += made.waits ? " waits" : "";
    text += made.told.empty() ? "" : " in " + made.told;
    return text + "\n";
}

std::string text_of(const orders &given) {
    std::string text = given.how == manner::recorded ? "recorded\n" : "";
    text += text_of(given.sends);
    text += given.seed ? sentence("seed ", *given.seed, "\n") : "";
    text += given.tells ? "tell\n" : "";
    for (const decision &each : given.follow) {
        text += text_of(each);
    }
    return text;
}

orders read_orders(std::string_view text) {
    orders given;
    each_line(text, [&given](std::string_view first, line_reader &line) {
        if (first == "recorded") {
            given.how = manner::recorded;
        } else if (first == "sends") {
            given.sends = read_buffering(line);
        } else if (first == "seed") {
            given.seed = line.number<std::uint64_t>();
        } else if (first == "tell") {
            given.tells = true;
        } else if (const auto what = kind_named(first)) {
            given.follow.push_back(read_decision(*what, line));
        } else {
            line.refuse("the first word is not known");
        }
    });
    return given;
}

account read_account(std::string_view text) {
    account made;
    each_line(text, [&made](std::string_view first, line_reader &line) {
        if (first == "later") {
            const auto which = line.number<std::size_t>();
            if (which >= made.decisions.size()) {
                line.refuse("there is no such decision");
            }
            made.decisions[which].later.push_back(line.number());
        } else if (first == "impossible") {
            made.impossible = true;
        } else if (first == "endless") {
            made.endless = line.rest();
        } else if (first == "refused") {
            made.refused = line.rest();
        } else if (first == "sends") {
            made.sizes.insert(line.number());
        } else if (const auto what = kind_named(first)) {
            made.decisions.push_back(read_decision(*what, line));
        } else {
            line.refuse("the first word is not known");
        }
    });
    return made;
}

std::string text_of_later(std::size_t decision, int could_take) {
    return sentence("later ", decision, " ", could_take, "\n");
}

std::string text_of_impossible() {
    return "impossible\n";
}

std::string text_of_endless(const std::string &call) {
    return "endless " + call + "\n";
}

std::string text_of_refused(const std::string &call) {
    return "refused " + call + "\n";
}

std::string text_of_sends(int size_class) {
    return sentence("sends ", size_class, "\n");
}

} // namespace lisle::choice
