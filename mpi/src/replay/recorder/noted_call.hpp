// SPDX-License-Identifier: Apache-2.0
// One call of the program: its arguments, as they are written down when it is over.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi.h"
#include "replay/recorder/rank_record.hpp"

namespace lisle::replay {

class noted_call {
  public:
    /// The program calls a function. What it is called with follows when it has ended.
    explicit noted_call(std::string_view function)
        : record_{rank_record::own()}, function_{function}, noted_{record_.begin_call(function)} {}
    noted_call(const noted_call &) = delete;
    noted_call &operator=(const noted_call &) = delete;
    ~noted_call();

    [[nodiscard]] bool is_noted() const noexcept { return noted_; }
    /// The library's own call is over. True: it is to be recorded, by what follows.
    [[nodiscard]] bool ended(int result);
    /// It cannot be replayed.
    void leave_out(std::string_view why = {});

    void length(std::size_t value) { into().number(value); }
    void number(std::int64_t value) { into().signed_number(value); }
    void text(const char *value) { into().text(value); }
    template <std::integral Number> void numbers(const Number *values, std::int64_t count) {
        length(static_cast<std::size_t>(count));
        for (const Number each : std::span{values, static_cast<std::size_t>(count)}) {
            number(each);
        }
    }
    /// The memory of an argument: only how it is given.
    void memory(const void *address);
    void weights(const int *values, std::int64_t count);

    template <class Handle> void handle(Handle given);
    template <class Handle> void handles(const Handle *given, std::int64_t count) {
        length(static_cast<std::size_t>(count));
        for (const Handle each : std::span{given, static_cast<std::size_t>(count)}) {
            handle(each);
        }
    }
    /// An object that the call has made.
    template <class Handle> void made(Handle handle);
    template <class Handle> void forget(Handle freed) { record_.handles<Handle>().forget(freed); }

    /// A source or a tag of a receive that is not over: one that it leaves open is filled in later.
    void open_source(int source) { open(source, MPI_ANY_SOURCE, source_at_); }
    void open_tag(int tag) { open(tag, MPI_ANY_TAG, tag_at_); }
    void made(MPI_Request request);
    /// A request's place. @param nth of those with this handle
    void request(MPI_Request given, std::size_t nth = 0);

    /// The call has looked for something: what follows is what it has found.
    void looked(bool found);

    [[nodiscard]] rank_record &record() noexcept { return record_; }

  private:
    [[nodiscard]] byte_writer &into() noexcept { return looks_ ? outcome_ : arguments_; }
    void open(int value, int any, std::optional<std::size_t> &at);

    rank_record &record_;
    std::string_view function_;
    bool noted_;
    bool written_ = false; ///< there is something to write
    bool looks_ = false, found_ = false;
    byte_writer arguments_, outcome_;
    std::optional<std::size_t> source_at_, tag_at_; ///< in the arguments
    std::optional<MPI_Request> open_request_;       ///< of a receive that has left them open
};

[[nodiscard]] inline bool is_in_place(const void *buffer) noexcept {
    return buffer == MPI_IN_PLACE;
}

/// A handle that the library knows without the program having made it.
template <class Handle> [[nodiscard]] bool is_predefined(Handle handle) noexcept {
    return reinterpret_cast<std::uintptr_t>(handle) < predefined_handles;
}

template <class Handle> void noted_call::handle(Handle given) {
    if (is_predefined(given)) {
        into().number(2 * reinterpret_cast<std::uintptr_t>(given));
    } else if (const auto place = record_.handles<Handle>().find(given)) {
        into().number(2 * std::uint64_t{*place} + 1);
    } else {
        leave_out(" with an object of a call that cannot be replayed");
    }
}

template <class Handle> void noted_call::made(Handle handle) {
    if (!written_) {
        return; // with what cannot be replayed
    }
    into().number(is_predefined(handle) ? 0 : std::uint64_t{record_.handles<Handle>().note(handle)} + 1);
}

/// The status of a call, which the program may not want.
class asked_status {
  public:
    explicit asked_status(MPI_Status *theirs) noexcept
        : used_{theirs == MPI_STATUS_IGNORE ? &own_ : theirs} {}
    [[nodiscard]] MPI_Status *pass() noexcept { return used_; }
    /// The source and the tag that a receive has met.
    [[nodiscard]] int source(int given) const noexcept {
        return given == MPI_ANY_SOURCE ? used_->MPI_SOURCE : given;
    }
    [[nodiscard]] int tag(int given) const noexcept { return given == MPI_ANY_TAG ? used_->MPI_TAG : given; }

  private:
    MPI_Status own_{};
    MPI_Status *used_;
};

} // namespace lisle::replay
