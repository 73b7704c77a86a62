// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/story.hpp"

#include <cmath>

#include "base/error.hpp"

namespace lisle::launch {

namespace {

using choice::kind;

std::string message_of(int rank) {
    return sentence("rank ", rank, "'s message");
}

std::string of_messages(const std::string &call, const choice::decision &made) {
    const int usual = made.others.empty() ? made.taken : made.others.front();
    if (made.taken == choice::nothing) {
        return sentence(call, " finds nothing yet, though ", message_of(usual), " could be there");
    }
    const char *const verb = made.at.what == kind::receive ? " takes " : " finds ";
    std::string text = sentence(call, verb, message_of(made.taken));
    if (made.waits) {
        text += ", which comes late,";
    }
    return made.others.empty() ? text : sentence(text, " before rank ", usual, "'s");
}

/// Nothing: all are buffered, or chosen one by one.
std::string of_sends(const choice::buffering &sends) {
    constexpr const char *standard = "sends of the standard mode (MPI_Send, MPI_Isend) ";
    if (sends.each_chosen || sends.most_bytes == choice::buffering::everything) {
        return {};
    }
    if (sends.most_bytes == choice::buffering::nothing) {
        return sentence(standard, "are not buffered: they wait for their receives");
    }
    return sentence(standard, "of up to ", sends.most_bytes,
                    " bytes are buffered, and longer ones wait for their receives");
}

std::string place_of(int place) {
    return sentence("the request at place ", place);
}

std::string of_requests(const std::string &call, const choice::decision &made) {
    const int usual = made.others.empty() ? made.taken : made.others.front();
    if (made.taken == choice::nothing) {
        return sentence(call, " finds nothing complete yet");
    }
    if (made.others.empty() || made.at.what == kind::test) {
        return sentence(call, " completes ", place_of(made.taken), " alone");
    }
    return sentence(call, " completes ", place_of(made.taken), " before ", place_of(usual));
}

} // namespace

std::string sentence_of(const choice::decision &made) {
    if (made.at.what == kind::turn) {
        std::string text = sentence("rank ", made.taken, ": ", made.told.empty() ? "a call" : made.told,
                                    " has its turn at the memory of rank ", made.at.rank);
        return made.others.empty() ? text : sentence(text, " before rank ", made.others.front());
    }
    if (made.at.what == kind::send) {
        return sentence("rank ", made.at.rank, ": ", made.told.empty() ? "a send" : made.told,
                        made.taken == 0 ? " waits for its receive" : " is buffered");
    }
    const std::string call = sentence("rank ", made.at.rank, ": ", made.told.empty() ? "a call" : made.told);
    const bool of_requests_is_it = made.at.what == kind::completion || made.at.what == kind::test;
    return of_requests_is_it ? of_requests(call, made) : of_messages(call, made);
}

std::vector<std::string> story_of(const choice::account &made, const choice::buffering &sends) {
    std::vector<std::string> lines;
    if (std::string told = of_sends(sends); !told.empty()) {
        lines.push_back(std::move(told));
    }
    for (const choice::decision &each : made.decisions) {
        if (each.departs) {
            lines.push_back(sentence_of(each));
        }
    }
    if (lines.empty()) {
        lines.emplace_back(
            "it fails in the usual order, too: each receive takes the message that came first");
    }
    return lines;
}

std::string number_in_words(double number) {
    constexpr double exact = 1e6;
    if (number >= exact) {
        const double power = std::floor(std::log10(number));
        return sentence(std::lround(number / std::pow(10, power)), " x 10^", std::lround(power));
    }
    std::string digits = std::to_string(std::llround(number));
    for (std::size_t place = digits.size(); place > 3;) {
        place -= 3;
        digits.insert(place, ",");
    }
    return digits;
}

std::string expected_in_words(double number) {
    constexpr double most = 1e300;
    return number < most ? "about " + number_in_words(number) : "more than 10^300";
}

} // namespace lisle::launch
