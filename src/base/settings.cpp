// SPDX-License-Identifier: Apache-2.0
#include "base/settings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace lisle {

namespace {

constexpr auto count = static_cast<std::size_t>(setting::count);

// The texts about the setting that forces the algorithm of a collective.
template <std::size_t Operation> constexpr std::string variable() {
    std::string text = "LISLE_";
    for (const char letter : collective_operations[Operation].name) {
        text += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    }
    return text;
}
template <std::size_t Operation> constexpr std::string meaning() {
    return "algorithm of " + std::string{collective_operations[Operation].functions} +
           " where the call allows it";
}
template <std::size_t Operation> constexpr std::string words() {
    const auto &about = collective_operations[Operation];
    std::string text = "auto";
    for (std::size_t i = 0; i < about.count; ++i) {
        text += '|';
        text += name_of(about.offered[i]);
    }
    return text;
}

/// Such a text, made by the compiler and ended by a zero.
template <std::string (*Make)()> constexpr auto kept_text = [] {
    std::array<char, Make().size() + 1> text{};
    const std::string made = Make();
    std::copy(made.begin(), made.end(), text.begin());
    return text;
}();

template <std::size_t Operation> constexpr setting_description algorithm_setting() noexcept {
    return {kept_text<variable<Operation>>.data(),
            0,
            0,
            static_cast<std::int64_t>(collective_operations[Operation].count),
            kept_text<meaning<Operation>>.data(),
            kept_text<words<Operation>>.data()};
}

constexpr std::array<setting_description, static_cast<std::size_t>(setting::first_algorithm)> own_settings{{
    {"LISLE_EAGER_LIMIT", -1, -1, std::int64_t{1} << 40,
     "largest message in bytes that is sent before its receive is known (-1: what suits the fabric)"},
    {"LISLE_CMA", 1, 0, 1,
     "1: long messages between processes move straight from memory to memory where the kernel allows "
     "it"},
    {"LISLE_CMA_MINIMUM", -1, -1, std::int64_t{1} << 40,
     "smallest message in bytes that moves straight between the memories; shorter ones stream through shared "
     "memory (-1: from 64 KiB on what is found to be faster, from 512 KiB on always)"},
    {"LISLE_SHARED_HEAP", 1, 0, 1,
     "1: MPI_Alloc_mem gives memory that the other processes of the job reach by address, so that messages "
     "from it are copied once"},
    {"LISLE_UNEXPECTED_LIMIT", std::int64_t{64} << 20, 0, std::int64_t{1} << 40,
     "bytes of unexpected messages that a rank stores before its senders have to wait"},
    {"LISLE_SPIN", -1, -1, 1'000'000'000,
     "how often a waiting rank looks for news before it sleeps (-1: depends on ranks and cores)"},
    {"LISLE_WAIT", 0, 0, 3,
     "what a waiting rank does: auto (looks, then gives its core away, then sleeps), spin, yield, park",
     "auto|spin|yield|park"},
    {"LISLE_PROGRESS", 0, 0, 3,
     "who moves messages on: caller (threads that are in a call), threads (a Sender and a Receiver thread "
     "for each "
     "device), shared (one thread for all devices), round-robin (callers, who ask each device in each round)",
     "caller|threads|shared|round-robin"},
    {"LISLE_TRACKS", 4, 1, 4,
     "over how many engines, each with a lock and mailboxes of its own, the communicators of a rank are "
     "spread "
     "whose threads call at once (MPI_THREAD_MULTIPLE)"},
    {"LISLE_CHECK", 0, 0, 2,
     "how much is looked for besides deadlocks: 1 what costs little (types of messages, objects that are not "
     "freed, messages that are not received, collectives that differ), 2 everything (sends that rely on "
     "buffers, buffers that are used while an operation is under way, receives from any source that could "
     "have taken another message)"},
    {"LISLE_DEADLOCK", 1, 0, 1,
     "what happens when all ranks of a job wait for each other: end (they are listed, and the job ends), or "
     "wait (nothing, so that a debugger finds them)",
     "wait|end"},
    {"LISLE_WATCHDOG", 0, 0, 3600,
     "seconds after which a fiber rank that lets no other fiber run is named, with its place in the "
     "program (0: never)"},
    {"LISLE_NODES", 0, -(1 << 22), 1 << 22,
     "how many nodes the processes of a job count as being on, in blocks, whatever machines they are on (0: "
     "as the "
     "machines are, -1: each process on a node of its own, -3: on three nodes one by one); messages between "
     "nodes "
     "go over the network"},
    {"LISLE_NETWORK_SILENCE", 10, 1, 3600,
     "seconds without a sign of life from a machine after which its ranks count as failed, or its interface "
     "as lost "
     "if there is another one"},
    {"LISLE_RECOVERY", 0, 0, 1,
     "1: the job goes on when processes fail, which share no memory then (lislerun --with-ft)"},
    {"LISLE_SHOW", 0, 0, 1, "what rank 0 prints when MPI begins: collectives (which algorithm is used when)",
     "nothing|collectives"},
    {"LISLE_INITIAL_ERRHANDLER", 0, 0, 2,
     "the error handler that communicators and sessions have at first (mpiexec -initial-errhandler)",
     "mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return"},
    {"LISLE_UNIVERSE_SIZE", 0, 0, 1 << 22,
     "how many ranks a program may count on, with those that it spawns: MPI_UNIVERSE_SIZE, at least "
     "the ranks of the job (0: as many as it may use processors, or as lislerun's hosts have slots)"},
}};

constexpr std::array<setting_description, count> table = [] {
    std::array<setting_description, count> all{};
    auto *next = std::copy(own_settings.begin(), own_settings.end(), all.begin());
    [&next]<std::size_t... Operation>(std::index_sequence<Operation...>) {
        ((*next++ = algorithm_setting<Operation>()), ...);
    }
    (std::make_index_sequence<collective_operations.size()>{});
    return all;
}();

// The place of `text` among words separated by '|', or -1.
std::int64_t place_of(std::string_view text, std::string_view words) noexcept {
    for (std::int64_t place = 0;; ++place) {
        const auto bar = words.find('|');
        if (words.substr(0, bar) == text) {
            return place;
        }
        if (bar == std::string_view::npos) {
            return -1;
        }
        words.remove_prefix(bar + 1);
    }
}

// The word at this place among them.
std::string_view word_at(std::int64_t place, std::string_view words) noexcept {
    for (; place > 0; --place) {
        words.remove_prefix(words.find('|') + 1);
    }
    return words.substr(0, words.find('|'));
}

std::int64_t from_environment(const setting_description &about) noexcept {
    const char *const text = std::getenv(about.variable);
    if (text == nullptr || *text == '\0') {
        return about.default_value;
    }
    if (about.words != nullptr) {
        if (const std::int64_t place = place_of(text, about.words); place >= 0) {
            return about.least + place;
        }
        const std::string_view used = word_at(about.default_value - about.least, about.words);
        std::fprintf(stderr, "lisle: %s=%s is none of %s; using %.*s\n", about.variable, text, about.words,
                     static_cast<int>(used.size()), used.data());
        return about.default_value;
    }
    char *end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < about.least || value > about.most) {
        std::fprintf(stderr, "lisle: %s=%s is not a number from %lld to %lld; using %lld\n", about.variable,
                     text, static_cast<long long>(about.least), static_cast<long long>(about.most),
                     static_cast<long long>(about.default_value));
        return about.default_value;
    }
    return value;
}

} // namespace

std::span<const setting_description> all_settings() noexcept {
    return table;
}

constinit std::atomic<bool> detail::all_changeable_are_default{false};

namespace {

using all_values = std::array<std::atomic<std::int64_t>, count>;

void look_at_changeable(const all_values &values) noexcept {
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) {
        all = all && (!changeable(static_cast<setting>(i)) ||
                      values[i].load(std::memory_order_relaxed) == table[i].default_value);
    }
    detail::all_changeable_are_default.store(all, std::memory_order_relaxed);
}

/// Relaxed: a value orders nothing; the thread that changes one tells the others.
all_values &values() noexcept {
    static all_values &read = []() -> all_values & {
        static all_values place{};
        for (std::size_t i = 0; i < count; ++i) {
            place[i].store(from_environment(table[i]), std::memory_order_relaxed);
        }
        look_at_changeable(place);
        return place;
    }();
    return read;
}

} // namespace

std::int64_t value_of(setting which) noexcept {
    return values()[static_cast<std::size_t>(which)].load(std::memory_order_relaxed);
}

bool changeable(setting which) noexcept {
    return which >= setting::first_algorithm;
}

void change(setting which, std::int64_t value) noexcept {
    values()[static_cast<std::size_t>(which)].store(value, std::memory_order_relaxed);
    look_at_changeable(values());
}

const setting_description &description_of(setting which) noexcept {
    return table[static_cast<std::size_t>(which)];
}

std::string_view word_of(setting which) noexcept {
    const setting_description &about = description_of(which);
    if (about.words == nullptr) {
        return {};
    }
    return word_at(value_of(which) - about.least, about.words);
}

} // namespace lisle
