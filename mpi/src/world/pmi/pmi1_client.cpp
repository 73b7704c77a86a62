// SPDX-License-Identifier: Apache-2.0
#include "world/pmi/pmi1_client.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi.h"
#include "world/pmi/wire_text.hpp"

namespace lisle {

namespace {

constexpr std::size_t longest_line = 65536; // far above what the protocol allows: bounds invalid input

/// A value may take several entries of the store. The first one begins with their number.
std::string part_key(int process, std::string_view key, std::size_t part) {
    return sentence("lisle-", process, "-", key, "-", part);
}

/// Reads one number and what must follow it. False: the text goes on otherwise.
bool take_number(std::string_view &text, char follower, int &number) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end == text.data() + text.size() || *end != follower || number < 0) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(end + 1 - text.data()));
    return true;
}

} // namespace

std::optional<std::string_view> word_in(std::string_view line, std::string_view name) {
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t equals = line.find('=', at);
        if (equals == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view found = line.substr(at, equals - at);
        const bool to_the_end = found == "value";
        const std::size_t end = to_the_end ? line.size() : std::min(line.find(' ', equals), line.size());
        if (found == name) {
            return line.substr(equals + 1, end - equals - 1);
        }
        at = end + 1;
    }
    return std::nullopt;
}

std::vector<int> nodes_from_mapping(std::string_view mapping, int processes) {
    constexpr std::string_view beginning = "(vector,";
    if (!mapping.starts_with(beginning) || !mapping.ends_with(")") || processes < 1) {
        return {};
    }
    struct block {
        int first;
        int nodes;
        int processes_for_each;
    };
    std::vector<block> blocks;
    mapping.remove_prefix(beginning.size());
    mapping.remove_suffix(1);
    while (!mapping.empty()) {
        block each{};
        if (!mapping.starts_with("(")) {
            return {};
        }
        mapping.remove_prefix(1);
        if (!take_number(mapping, ',', each.first) || !take_number(mapping, ',', each.nodes) ||
            !take_number(mapping, ')', each.processes_for_each) || each.nodes < 1 ||
            each.processes_for_each < 1) {
            return {};
        }
        blocks.push_back(each);
        if (mapping.starts_with(",")) {
            mapping.remove_prefix(1);
        }
    }
    if (blocks.empty()) {
        return {};
    }
    const auto wanted = static_cast<std::size_t>(processes);
    std::vector<std::string> names;
    while (names.size() < wanted) {
        for (const block &each : blocks) {
            for (int node = each.first; node != each.first + each.nodes && names.size() < wanted; ++node) {
                const auto some = static_cast<std::size_t>(each.processes_for_each);
                names.insert(names.end(), std::min(some, wanted - names.size()), std::to_string(node));
            }
        }
    }
    return number_nodes(names);
}

pmi1_client::pmi1_client(int descriptor, int process, int processes)
    : descriptor_{descriptor}, process_{process}, processes_{processes} {
    const std::string hello = ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
    if (word_in(hello, "rc") != "0") {
        fail(MPI_ERR_OTHER, "the launcher does not speak version 1 of PMI: it answered \"", hello, "\"");
    }
    const std::string limits = ask("cmd=get_maxes", "maxes");
    const auto longest = whole_number(word_in(limits, "vallen_max").value_or(""));
    const auto longest_key = whole_number(word_in(limits, "keylen_max").value_or(""));
    if (!longest || *longest < 32 || !longest_key || *longest_key < 64) {
        fail(MPI_ERR_OTHER,
             "the launcher's store takes no values of 32 and keys of 64 characters: it answered \"", limits,
             "\"");
    }
    longest_value_ = static_cast<std::size_t>(*longest) - 1;
    store_ = word_in(ask("cmd=get_my_kvsname", "my_kvsname"), "kvsname").value_or("");
}

pmi1_client::~pmi1_client() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

std::vector<int> pmi1_client::nodes() {
    const auto mapping = look_up("PMI_process_mapping");
    return mapping ? nodes_from_mapping(*mapping, processes_) : std::vector<int>{};
}

void pmi1_client::put(std::string_view key, std::span<const std::byte> value) {
    const std::string text = to_text(value);
    const std::size_t room = longest_value_ - 1; // beside the mark that keeps a value from being empty
    const std::size_t parts = text.size() / room + 1;
    const auto store = [&](std::size_t part, std::string_view what) {
        const std::string answer =
            ask(sentence("cmd=put kvsname=", store_, " key=", part_key(process_, key, part), " value=", what),
                "put_result");
        if (word_in(answer, "rc") != "0") {
            fail(MPI_ERR_NO_MEM, "the launcher's store did not take ", value.size(), " bytes under the key ",
                 key, ": it answered \"", answer, "\"");
        }
    };
    store(0, sentence(parts));
    for (std::size_t part = 0; part != parts; ++part) {
        store(part + 1, sentence('x', std::string_view{text}.substr(part * room, room)));
    }
}

void pmi1_client::fence() {
    static_cast<void>(ask("cmd=barrier_in", "barrier_out"));
}

std::optional<std::string> pmi1_client::look_up(const std::string &key) {
    const std::string answer = ask(sentence("cmd=get kvsname=", store_, " key=", key), "get_result");
    if (word_in(answer, "rc") != "0") {
        return std::nullopt;
    }
    return std::string{word_in(answer, "value").value_or("")};
}

std::vector<std::byte> pmi1_client::get(int process, std::string_view key) {
    const auto nothing = [&] {
        fail(MPI_ERR_OTHER, "process ", process, " of ", processes_, " has put nothing sound under the key ",
             key, " into the launcher's store");
    };
    const auto parts = whole_number(look_up(part_key(process, key, 0)).value_or(""));
    if (!parts || *parts < 1) {
        nothing();
    }
    std::string text;
    for (int part = 1; part <= *parts; ++part) {
        const auto piece = look_up(part_key(process, key, static_cast<std::size_t>(part)));
        if (!piece || !piece->starts_with('x')) {
            nothing();
        }
        text.append(*piece, 1);
    }
    auto bytes = from_text(text);
    if (!bytes) {
        nothing();
    }
    return *std::move(bytes);
}

void pmi1_client::abort(int code, const std::string &) noexcept {
    try {
        send(sentence("cmd=abort exitcode=", code));
    } catch (const mpi_error &) {
        // The launcher has ended, so there is nothing to tell it.
    }
}

void pmi1_client::finalize() noexcept {
    try {
        static_cast<void>(ask("cmd=finalize", "finalize_ack"));
    } catch (const mpi_error &) {
        // The same.
    }
}

std::string pmi1_client::ask(std::string_view request, std::string_view answer) {
    send(request);
    std::string line = receive_line();
    if (word_in(line, "cmd") != answer) {
        fail(MPI_ERR_OTHER, "the launcher answered \"", line, "\" to \"", request, "\", where PMI-1 has ",
             answer);
    }
    return line;
}

void pmi1_client::send(std::string_view line) {
    const std::string whole = sentence(line, '\n');
    for (std::size_t sent = 0; sent != whole.size();) {
        // No signal if the launcher has ended: an error that can be reported.
        const ssize_t some = ::send(descriptor_, whole.data() + sent, whole.size() - sent, MSG_NOSIGNAL);
        if (some < 0 && errno != EINTR) {
            fail(MPI_ERR_OTHER, "cannot send to the launcher over descriptor ", descriptor_, ": ",
                 std::strerror(errno));
        }
        sent += some > 0 ? static_cast<std::size_t>(some) : 0;
    }
}

std::string pmi1_client::receive_line() {
    for (;;) {
        if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
            std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return line;
        }
        if (unread_.size() > longest_line) {
            fail(MPI_ERR_OTHER, "the launcher sent a line of more than ", longest_line, " characters");
        }
        char buffer[2048];
        const ssize_t some = read(descriptor_, buffer, sizeof buffer);
        if (some == 0) {
            fail(MPI_ERR_OTHER, "the launcher has closed its connection, descriptor ", descriptor_);
        }
        if (some < 0 && errno != EINTR) {
            fail(MPI_ERR_OTHER, "cannot read from the launcher, descriptor ", descriptor_, ": ",
                 std::strerror(errno));
        }
        unread_.append(buffer, some > 0 ? static_cast<std::size_t>(some) : 0);
    }
}

} // namespace lisle
