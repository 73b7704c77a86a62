// SPDX-License-Identifier: Apache-2.0
#include "replay/player/player.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "replay/player/arguments.hpp"
#include "replay/trace/format.hpp"

namespace lisle::replay {

namespace {

std::int64_t checked(std::uint64_t value, const char *of) {
    constexpr std::uint64_t most = std::uint64_t{1} << 60;
    if (value > most) {
        throw trace_error{std::to_string(value) + " " + of + " are more than " + std::to_string(most)};
    }
    return static_cast<std::int64_t>(value);
}

void compute(std::int64_t cycles) {
    MPIX_Tile_compute(cycles);
}

/// What a damaged trace names, for a terminal.
std::string printable(std::string_view name) {
    constexpr std::size_t longest = 60;
    std::string shown{name.substr(0, longest)};
    std::ranges::replace_if(
        shown, [](unsigned char letter) { return letter < ' ' || letter > '~'; }, '?');
    return shown;
}

/// On a modelled machine as many cycles as it has in this time.
void compute_for(std::int64_t nanoseconds) {
    compute(std::llround(static_cast<double>(nanoseconds) * 1e-9 / MPI_Wtick()));
}

void pause(std::int64_t nanoseconds) {
    constexpr std::int64_t second = 1'000'000'000;
    timespec left{nanoseconds / second, nanoseconds % second};
    while (nanosleep(&left, &left) != 0) {
    }
}

} // namespace

const played_function *find_function(std::string_view name) noexcept {
    for (const auto functions : {generated_functions(), special_functions()}) {
        const auto found = std::ranges::find(functions, name, &played_function::name);
        if (found != functions.end()) {
            return &*found;
        }
    }
    return nullptr;
}

void player::play() {
    byte_reader in{record_};
    try {
        for (; !in.at_end(); ++items_) {
            calling_ = {};
            play_item(in);
        }
    } catch (const trace_error &error) {
        throw trace_error{"item " + std::to_string(items_) +
                          (calling_.empty() ? "" : " (" + std::string{calling_} + ")") + ": " + error.what()};
    }
}

void player::play_item(byte_reader &in) {
    const std::uint64_t what = in.number();
    if (what == static_cast<std::uint64_t>(item::end)) {
        in = byte_reader{{}};
    } else if (what == static_cast<std::uint64_t>(item::function)) {
        const std::string_view name = in.text();
        functions_.push_back(find_function(name));
        if (functions_.back() == nullptr) {
            throw trace_error{"a replay has no function of the name '" + printable(name) + "'"};
        }
    } else if (what == static_cast<std::uint64_t>(item::vain) ||
               what == static_cast<std::uint64_t>(item::look)) {
        play_looks(what == static_cast<std::uint64_t>(item::look), in);
    } else if (!play_time(what, in)) {
        arguments with{*this, in.text()};
        call(what - static_cast<std::uint64_t>(item::call), with);
    }
}

bool player::play_time(std::uint64_t what, byte_reader &in) {
    switch (static_cast<item>(what)) {
    case item::compute:
        compute(checked(in.number(), "cycles"));
        return true;
    case item::access: {
        const auto *const start = reinterpret_cast<const void *>(in.number());
        const std::int64_t bytes = checked(in.number(), "bytes");
        MPIX_Tile_access(start, bytes, in.number() != 0 ? 1 : 0);
        return true;
    }
    case item::processor:
        compute_for(checked(in.number(), "nanoseconds"));
        return true;
    case item::pause:
        pause(checked(in.number(), "nanoseconds"));
        return true;
    case item::reading:
        (void)MPI_Wtime();
        return true;
    default:
        return false;
    }
}

void player::play_between(std::string_view items) {
    for (byte_reader in{items}; !in.at_end();) {
        if (const std::uint64_t what = in.number(); !play_time(what, in)) {
            throw trace_error{"item " + std::to_string(what) + " stands between two looks"};
        }
    }
}

void player::play_looks(bool found, byte_reader &in) {
    const std::uint64_t function = in.number();
    looks_in_record looks{.found = found, .count = in.number(), .between = in.text(), .outcome = {}};
    const std::string_view given = in.text();
    looks.outcome = found ? in.text() : std::string_view{};
    arguments with{*this, given, looks};
    call(function, with);
}

void player::call(std::uint64_t function, arguments &with) {
    if (function >= functions_.size()) {
        throw trace_error{"a call of function " + std::to_string(function) + ", where " +
                          std::to_string(functions_.size()) + " are named"};
    }
    calling_ = functions_[function]->name;
    functions_[function]->play(with);
    with.expect_end();
}

} // namespace lisle::replay
