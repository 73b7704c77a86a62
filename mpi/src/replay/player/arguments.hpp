// SPDX-License-Identifier: Apache-2.0
// The arguments of one call, read from a record and checked, and what the call needs besides.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "replay/calls/meaning.hpp"
#include "replay/player/player.hpp"
#include "replay/trace/format.hpp"

namespace lisle::replay {

/// Looks that a program has made one after the other.
struct looks_in_record {
    bool found = false;       ///< the last one has found something
    std::uint64_t count = 0;  ///< of those in vain
    std::string_view between; ///< items
    std::string_view outcome;
};

/// Weights of the edges of a graph.
struct edge_weights {
    weights_use use = weights_use::given;
    std::vector<int> values;
    [[nodiscard]] const int *pass() const noexcept {
        return use == weights_use::unweighted ? MPI_UNWEIGHTED
               : use == weights_use::empty    ? MPI_WEIGHTS_EMPTY
                                              : values.data();
    }
};

/// Requests that a call is made with, of some places in the rank's table.
struct asked_places {
    std::vector<std::size_t> places; ///< 0: null, else the place and 1
    std::vector<MPI_Request> values;
    [[nodiscard]] int count() const noexcept { return static_cast<int>(values.size()); }
};

[[nodiscard]] inline bool is_in_place(memory_use use) noexcept {
    return use == memory_use::in_place;
}

/// An operation of a program's, for data that nobody looks at.
template <class Count> void keep_as_it_is(void *, void *, Count *, MPI_Datatype *) {}

/// Throws trace_error where a record gives what cannot be.
class arguments {
  public:
    arguments(player &of, std::string_view bytes, std::optional<looks_in_record> looks = {})
        : player_{of}, in_{bytes}, looks_{looks} {}

    template <std::integral Number> [[nodiscard]] Number number() {
        const std::int64_t value = in_.signed_number();
        if (!std::in_range<Number>(value)) {
            throw trace_error{"the number " + std::to_string(value) + " is outside of " +
                              std::to_string(std::numeric_limits<Number>::min()) + " to " +
                              std::to_string(std::numeric_limits<Number>::max())};
        }
        return static_cast<Number>(value);
    }
    template <std::integral Number> [[nodiscard]] std::vector<Number> numbers() {
        std::vector<Number> all(length());
        for (Number &each : all) {
            each = number<Number>();
        }
        return all;
    }
    [[nodiscard]] std::string text() { return std::string{in_.text()}; }
    /// @param last of what the call allows
    [[nodiscard]] memory_use memory(memory_use last) { return word<memory_use>("memory", last); }
    [[nodiscard]] edge_weights weights();

    template <class Handle> [[nodiscard]] Handle handle() {
        const std::uint64_t given = in_.number();
        return given % 2 == 0 ? predefined<Handle>(given / 2) : at_place<Handle>(given / 2);
    }
    template <class Handle> [[nodiscard]] std::vector<Handle> handles() {
        std::vector<Handle> all(length());
        for (Handle &each : all) {
            each = handle<Handle>();
        }
        return all;
    }
    /// A handle that the call may change: where it is kept.
    template <class Handle> [[nodiscard]] Handle &kept() {
        static_assert(!std::is_same_v<Handle, MPI_Request>);
        const std::uint64_t given = in_.number();
        if (given % 2 == 0) {
            static Handle spare;
            return spare = predefined<Handle>(given / 2);
        }
        return at_place<Handle>(given / 2);
    }
    /// Where an object that the call makes is to be kept; 0: nowhere.
    [[nodiscard]] std::uint64_t place() { return in_.number(); }
    template <class Handle> void keep(std::uint64_t place, Handle made);

    [[nodiscard]] MPI_Request request();
    [[nodiscard]] asked_places one_request();
    [[nodiscard]] asked_places requests();
    /// What has become of them.
    void put_back(const asked_places &asked);

    void expect_length(const char *name, std::size_t given, std::int64_t expected) const;
    void expect_length(const char *name, const edge_weights &given, std::int64_t expected) const;
    void expect_success(int result) const;
    /// All has been read.
    void expect_end() const;

    [[nodiscard]] const void *sent(memory_use use, data_range data) {
        return use == memory_use::in_place ? MPI_IN_PLACE : player_.objects().sent.at(data);
    }
    [[nodiscard]] void *received(memory_use use, data_range data) {
        return use == memory_use::in_place ? MPI_IN_PLACE : player_.objects().received.at(data);
    }
    /// Memory that is not shared with other calls.
    [[nodiscard]] static void *own_memory(memory_use use, std::int64_t bytes) {
        return use == memory_use::automatic ? MPI_BUFFER_AUTOMATIC : reserve(bytes);
    }

    /// Looks as the program did. Where it has found something in the end, so does this, however long it
    /// takes. @param look one look; true: it has found something
    template <std::predicate Look> void looks_until(Look look);
    /// True: what is read next is what the program has found.
    [[nodiscard]] bool begin_outcome();

  private:
    template <class Handle> [[nodiscard]] std::vector<Handle> &table() noexcept {
        return std::get<std::vector<Handle>>(player_.objects().tables);
    }
    template <class Handle> [[nodiscard]] static Handle predefined(std::uint64_t value) {
        if (value >= predefined_handles) {
            throw trace_error{"the predefined handle " + std::to_string(value) + " is none below " +
                              std::to_string(predefined_handles)};
        }
        return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(value));
    }
    template <class Handle> [[nodiscard]] Handle &at_place(std::uint64_t place) {
        if (place >= table<Handle>().size()) {
            throw trace_error{"object " + std::to_string(place) + " is used, where " +
                              std::to_string(table<Handle>().size()) + " have been made"};
        }
        return table<Handle>()[place];
    }
    template <class Word> [[nodiscard]] Word word(const char *of, Word last) {
        const std::uint64_t value = in_.number();
        if (value > static_cast<std::uint64_t>(last)) {
            throw trace_error{"the word " + std::to_string(value) + " for " + of + " is more than " +
                              std::to_string(static_cast<std::uint64_t>(last))};
        }
        return static_cast<Word>(value);
    }
    /// Of an array, each of whose elements has a byte at least.
    [[nodiscard]] std::size_t length();
    [[nodiscard]] asked_places requests(std::size_t count);

    player &player_;
    byte_reader in_;
    std::optional<looks_in_record> looks_;
};

template <class Handle> void arguments::keep(std::uint64_t place, Handle made) {
    if (place == 0) {
        return;
    }
    std::vector<Handle> &all = table<Handle>();
    if (place > all.size() + 1) {
        throw trace_error{"object " + std::to_string(place - 1) + " is made, where " +
                          std::to_string(all.size()) + " have been"};
    }
    if (place > all.size()) {
        all.push_back(made);
    } else {
        all[place - 1] = made;
    }
}

template <std::predicate Look> void arguments::looks_until(Look look) {
    if (!looks_) {
        throw trace_error{"it is recorded as a call, not as a look"};
    }
    for (std::uint64_t vain = 0; looks_->found || vain != looks_->count; ++vain) {
        if (vain != 0) {
            player_.play_between(looks_->between);
        }
        if (look() && looks_->found) {
            return;
        }
    }
}

} // namespace lisle::replay
