// SPDX-License-Identifier: Apache-2.0
// One-sided communication: memory of every rank that all ranks read, write and change. Epochs are scopes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

// First: what the compiler says begins with the way to the file.
#include "lisle/datatype/transfer.hpp"

#include "lisle/collective/operation.hpp"
#include "lisle/communicator.hpp"
#include "lisle/info.hpp"

namespace lisle {

/// An element of a window: the index in a rank's part.
struct place {
    int rank;
    std::size_t index = 0;
};

namespace detail {

/// An epoch as a scope: the destructor ends it, or end(), which throws errors.
class [[nodiscard]] epoch {
  public:
    using ender = int (*)(MPI_Win window, int rank);

    epoch(MPI_Win window, int rank, ender end, const char *call) noexcept
        : window_{window}, rank_{rank}, end_{end}, call_{call} {}
    epoch(epoch &&other) noexcept
        : window_{std::exchange(other.window_, MPI_WIN_NULL)}, rank_{other.rank_}, end_{other.end_},
          call_{other.call_} {}
    epoch(const epoch &) = delete;
    epoch &operator=(const epoch &) = delete;
    epoch &operator=(epoch &&) = delete;
    ~epoch() {
        if (window_ != MPI_WIN_NULL)
            end_(window_, rank_);
    }
    /// Completes the calls of the epoch and ends it. @throws error which the destructor would suppress
    void end() {
        if (const MPI_Win window = std::exchange(window_, MPI_WIN_NULL); window != MPI_WIN_NULL)
            check(end_(window, rank_), call_);
    }

  private:
    MPI_Win window_;
    int rank_;
    ender end_;
    const char *call_;
};

/// The part that windows of all types share: the handle, epochs, and the completion of the calls in one.
class window_handle {
  public:
    window_handle(window_handle &&other) noexcept : handle_{std::exchange(other.handle_, MPI_WIN_NULL)} {}
    window_handle &operator=(window_handle &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    window_handle(const window_handle &) = delete;
    window_handle &operator=(const window_handle &) = delete;
    ~window_handle() {
        if (handle_ != MPI_WIN_NULL && may_free())
            MPI_Win_free(&handle_);
    }
    [[nodiscard]] MPI_Win native() const noexcept { return handle_; }

    /// An epoch in which no other rank has a lock on this rank's part.
    epoch lock(int rank) const { return lock(rank, MPI_LOCK_EXCLUSIVE); }
    /// An epoch with a shared lock, which other shared ones may overlap.
    epoch lock_shared(int rank) const { return lock(rank, MPI_LOCK_SHARED); }
    /// An epoch on the parts of all ranks, which other shared ones may overlap.
    epoch lock_all() const {
        check(MPI_Win_lock_all(0, handle_), "MPI_Win_lock_all");
        return {handle_, 0, [](MPI_Win window, int) { return MPI_Win_unlock_all(window); },
                "MPI_Win_unlock_all"};
    }
    /// An epoch that all ranks begin and end together. Collective, and so is the end of the scope.
    epoch fence() const {
        check(MPI_Win_fence(0, handle_), "MPI_Win_fence");
        return {handle_, 0, [](MPI_Win window, int) { return MPI_Win_fence(0, window); }, "MPI_Win_fence"};
    }
    /// An epoch on the parts of the ranks of `targets`, which post one to this rank.
    epoch start(const group &targets) const {
        check(MPI_Win_start(targets.native(), 0, handle_), "MPI_Win_start");
        return {handle_, 0, [](MPI_Win window, int) { return MPI_Win_complete(window); }, "MPI_Win_complete"};
    }
    /// Exposes this rank's part to the ranks of `origins`; the end of the scope waits for the end of their
    /// epochs.
    epoch post(const group &origins) const {
        check(MPI_Win_post(origins.native(), 0, handle_), "MPI_Win_post");
        return {handle_, 0, [](MPI_Win window, int) { return MPI_Win_wait(window); }, "MPI_Win_wait"};
    }

    /// Completes this rank's calls on a rank's part, there as well. In epochs of lock, lock_shared and
    /// lock_all.
    void flush(int rank) const { check(MPI_Win_flush(rank, handle_), "MPI_Win_flush"); }
    /// The same for all ranks.
    void flush() const { check(MPI_Win_flush_all(handle_), "MPI_Win_flush_all"); }
    /// Completes this rank's calls locally: their spans may be used again.
    void flush_local() const { check(MPI_Win_flush_local_all(handle_), "MPI_Win_flush_local_all"); }
    /// Orders this rank's own loads and stores in parts of the window with what other ranks do, and with its
    /// puts: a flush alone does not order loads.
    void sync() const { check(MPI_Win_sync(handle_), "MPI_Win_sync"); }

  protected:
    window_handle() noexcept = default;
    void returns_errors() const {
        check(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    }

    MPI_Win handle_ = MPI_WIN_NULL;

  private:
    epoch lock(int rank, int kind) const {
        check(MPI_Win_lock(kind, rank, 0, handle_), "MPI_Win_lock");
        return {handle_, rank, [](MPI_Win window, int locked) { return MPI_Win_unlock(locked, window); },
                "MPI_Win_unlock"};
    }
};

} // namespace detail

template <direct T> class atomic_element;

/// For elements without a datatype: the compiler says so.
template <class T> class window {
    static_assert((detail::explain_no_datatype<T>(), true));

  public:
    template <class... Arguments> explicit window(Arguments &&...);
    template <class... Arguments> static window shared(Arguments &&...);
};

/// Memory of `T`s in every rank of a communicator. Making and destroying one is collective; it can only be
/// moved.
///
///     lisle::window<long> counters{world, 10};      // ten zeros in each rank
///     {
///         auto epoch = counters.lock(next);         // others wait, until the end of the scope
///         counters.put(5, {next, 3});
///     }
///     auto epoch = counters.lock_all();
///     long ticket = counters.fetch_add(1, {0, 0});
///
/// Elements are copied as they lie in memory. Calls outside of an epoch throw `error` of the class
/// MPI_ERR_RMA_SYNC. Any thread may call as MPI's level of threads allows. [MPI-5.0 12]
template <direct T> class window<T> : public detail::window_handle {
  public:
    using value_type = T;

    /// `count` elements for this rank, all T{}; ranks may differ in it. Lies where the ranks of a node reach
    /// it by address.
    window(const communicator &comm, std::size_t count, const info &hints = {}) : window{} {
        void *base = nullptr;
        detail::check(MPI_Win_allocate(bytes(count), sizeof(T), hints.native(), comm.native(),
                                       static_cast<void *>(&base), &handle_),
                      "MPI_Win_allocate");
        begin(comm, static_cast<T *>(base), count);
    }
    /// A window over memory of the program's, which must live for as long as the window, and keeps its
    /// values.
    window(const communicator &comm, std::span<T> memory, const info &hints = {}) : window{} {
        detail::check(MPI_Win_create(memory.data(), bytes(memory.size()), sizeof(T), hints.native(),
                                     comm.native(), &handle_),
                      "MPI_Win_create");
        local_ = memory;
        returns_errors();
    }
    /// A window whose parts lie one behind the other, and which all ranks reach by part(). All ranks must
    /// share memory, as those of `comm.split_by(hardware::memory)` do. @throws error of the class
    /// MPI_ERR_RMA_SHARED otherwise
    [[nodiscard]] static window shared(const communicator &comm, std::size_t count, const info &hints = {}) {
        window made;
        void *base = nullptr;
        detail::check(MPI_Win_allocate_shared(bytes(count), sizeof(T), hints.native(), comm.native(),
                                              static_cast<void *>(&base), &made.handle_),
                      "MPI_Win_allocate_shared");
        made.begin(comm, static_cast<T *>(base), count);
        return made;
    }
    window(window &&other) noexcept
        : window_handle{std::move(other)}, local_{std::exchange(other.local_, {})} {}
    window &operator=(window &&other) noexcept {
        window_handle::operator=(std::move(other));
        std::swap(local_, other.local_);
        return *this;
    }

    /// This rank's elements. Loads and stores there are the program's to order with what ranks do: see
    /// sync().
    [[nodiscard]] std::span<T> local() const noexcept { return local_; }
    /// A rank's elements if this rank reaches them by address, else an empty span.
    [[nodiscard]] std::span<T> part(int rank) const {
        MPI_Aint size = 0;
        int unit = 0;
        T *base = nullptr;
        detail::check(MPI_Win_shared_query(handle_, rank, &size, &unit, static_cast<void *>(&base)),
                      "MPI_Win_shared_query");
        return {base, base == nullptr ? 0 : static_cast<std::size_t>(size) / sizeof(T)};
    }

    /// Writes elements. They must stay as they are until a flush or the epoch's end.
    void put(std::span<const T> values, place at) const {
        detail::check(MPI_Put_c(values.data(), count(values), type(), at.rank, offset(at), count(values),
                                type(), handle_),
                      "MPI_Put_c");
    }
    /// Reads elements, which are there after a flush or the epoch's end.
    void get(std::span<T> values, place at) const {
        detail::check(MPI_Get_c(values.data(), count(values), type(), at.rank, offset(at), count(values),
                                type(), handle_),
                      "MPI_Get_c");
    }
    /// Combines elements with those at `at`, each of them atomically, by std::plus, minimum and their kin.
    /// The span must stay as it is until a flush or the epoch's end.
    template <class F = std::plus<>> void accumulate(std::span<const T> values, place at, F = {}) const {
        detail::check(MPI_Accumulate_c(values.data(), count(values), atomic_type<F>(), at.rank, offset(at),
                                       count(values), atomic_type<F>(), operation<F>(), handle_),
                      "MPI_Accumulate_c");
    }

    /// Writes one element, in epochs that can be flushed; the value may go at once.
    void put(const T &value, place at) const {
        put(std::span{&value, 1}, at);
        detail::check(MPI_Win_flush_local(at.rank, handle_), "MPI_Win_flush_local");
    }
    /// Reads one element, in epochs that can be flushed.
    [[nodiscard]] T get(place at) const {
        T value{};
        get(std::span{&value, 1}, at);
        detail::check(MPI_Win_flush_local(at.rank, handle_), "MPI_Win_flush_local");
        return value;
    }
    /// Combines one element with another, atomically, in epochs that can be flushed.
    template <class F = std::plus<>> void accumulate(const T &value, place at, F function = {}) const {
        accumulate(std::span{&value, 1}, at, function);
        detail::check(MPI_Win_flush_local(at.rank, handle_), "MPI_Win_flush_local");
    }
    /// Combines one element with another, atomically, and gives back what was there before.
    template <class F> T fetch(const T &value, place at, F) const {
        return fetch(value, at, atomic_type<F>(), operation<F>());
    }
    /// Adds to an element, atomically, and returns the value before.
    T fetch_add(const T &value, place at) const { return fetch(value, at, std::plus<>{}); }
    /// Writes one element atomically, and gives back what was there before.
    T exchange(const T &value, place at) const { return fetch(value, at, type(), MPI_REPLACE); }
    /// Reads one element atomically.
    [[nodiscard]] T load(place at) const { return fetch(T{}, at, type(), MPI_NO_OP); }
    /// Writes one element atomically.
    void store(const T &value, place at) const { exchange(value, at); }
    /// Writes `desired` if the element equals `expected`; otherwise puts the element into `expected` and is
    /// false.
    bool compare_exchange(T &expected, const T &desired, place at) const requires std::integral<T> {
        T before{};
        detail::check(MPI_Compare_and_swap(&desired, &expected, &before, atomic_type<std::plus<>>(), at.rank,
                                           offset(at), handle_),
                      "MPI_Compare_and_swap");
        flush(at.rank);
        return std::exchange(expected, before) == before;
    }
    /// One element with the functions of std::atomic.
    [[nodiscard]] atomic_element<T> atomic(place at) const { return {*this, at}; }

  private:
    window() noexcept = default;

    static MPI_Aint bytes(std::size_t count) noexcept { return static_cast<MPI_Aint>(count * sizeof(T)); }
    static MPI_Count count(std::span<const T> values) noexcept {
        return static_cast<MPI_Count>(values.size());
    }
    static MPI_Aint offset(place at) noexcept { return static_cast<MPI_Aint>(at.index); }
    static MPI_Datatype type() { return datatype_of<T>(); }
    /// MPI has no sum of characters, as C++ has.
    template <class F> static MPI_Datatype atomic_type() { return detail::reduction_type<T, F>(); }
    template <class F> static MPI_Op operation() {
        static_assert(detail::has_predefined<F, T>, "A window combines elements with MPI's own operations "
                                                    "only: std::plus, std::bit_xor, lisle::minimum, ...");
        return detail::predefined_operation<F, T>();
    }

    void begin(const communicator &comm, T *base, std::size_t count) {
        local_ = {base, count};
        for (T &element : local_)
            element = T{};
        returns_errors();
        comm.barrier(); // no rank accesses elements before they are initialised
    }
    T fetch(const T &value, place at, MPI_Datatype element, MPI_Op op) const {
        T before{};
        detail::check(MPI_Get_accumulate(&value, 1, element, &before, 1, element, at.rank, offset(at), 1,
                                         element, op, handle_),
                      "MPI_Get_accumulate");
        flush(at.rank);
        return before;
    }

    std::span<T> local_;
};

/// An element of a window, used as a std::atomic; in epochs that can be flushed.
///
///     auto head = window.atomic({0, 0});
///     long seen = head.load();
///     while (!head.compare_exchange(seen, seen + 1)) {}
template <direct T> class atomic_element {
  public:
    /// @pre the window outlives this view
    atomic_element(const window<T> &of, place at) noexcept : window_{&of}, at_{at} {}
    /// The element.
    [[nodiscard]] T load() const { return window_->load(at_); }
    /// Stores a value.
    void store(const T &value) const { window_->store(value, at_); }
    /// Stores a value and returns the one before.
    T exchange(const T &value) const { return window_->exchange(value, at_); }
    /// Adds and returns the value before.
    T fetch_add(const T &value) const { return window_->fetch_add(value, at_); }
    /// Combines the element with a value by an operation of MPI's, and returns the one before.
    template <class F> T fetch(const T &value, F function) const {
        return window_->fetch(value, at_, function);
    }
    /// Stores `desired` if the element is `expected`, and else the element in `expected`, as std::atomic
    /// does.
    bool compare_exchange(T &expected, const T &desired) const requires std::integral<T> {
        return window_->compare_exchange(expected, desired, at_);
    }
    T operator+=(const T &value) const { return static_cast<T>(fetch_add(value) + value); }

  private:
    const window<T> *window_;
    place at_;
};

} // namespace lisle
