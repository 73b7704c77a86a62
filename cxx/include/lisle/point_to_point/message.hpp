// SPDX-License-Identifier: Apache-2.0
// How a message of unknown size is received: matched first, then the container gets its size, then the data
// comes. With Lisle that is one call of the library's; elsewhere a matched probe does it.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "lisle/datatype/destination.hpp"
#include "lisle/datatype/transfer.hpp"
#include "lisle/request/request.hpp"

namespace lisle {

/// An object and the status of its message: `auto [value, status] = ...`.
template <class T> struct received {
    T value;
    lisle::status status;
};

namespace detail {

/// What T is received as: itself, or the bytes that it is made of afterwards.
template <class T> using landing = std::conditional_t<serialized<T>, byte_buffer, T>;

/// Reads what has come into the object; from no_rank nothing comes.
template <class T> void read_received(const byte_buffer &bytes, const MPI_Status &ended, T &object) {
    if (source_of(ended) != no_rank)
        serializer<T>::read_into(bytes, object);
}
/// Makes the object that was asked for of the received one.
template <class T> T unwrap(landing<T> &&landed, const MPI_Status &ended) {
    if constexpr (serialized<T>) {
        T object{};
        read_received(landed, ended, object);
        return object;
    } else {
        return std::move(landed);
    }
}

/// A container as one that gets the size that its word says.
template <class R, size_policy Policy> class sized_as {
  public:
    sized_as() = default;
    explicit sized_as(R &range) noexcept : range_{&range} {}
    void resize(std::size_t size) { set_size<Policy>(*range_, size); }
    [[nodiscard]] auto *data() const noexcept { return std::ranges::data(*range_); }
    [[nodiscard]] std::size_t size() const noexcept { return std::ranges::size(*range_); }
    [[nodiscard]] auto *begin() const noexcept { return data(); }
    [[nodiscard]] auto *end() const noexcept { return data() + size(); }

  private:
    R *range_ = nullptr;
};

/// Gives a container room for `elements` elements of its datatype, and says where.
template <resizable_range R> void *make_room(R &range, MPI_Count elements) {
    constexpr MPI_Count each = wire<element_of<R>>::count;
    if (elements < 0 || elements % each != 0) {
        raise(MPI_ERR_TRUNCATE, "lisle::receive", {{"elements", elements}, {"elements of an object", each}},
              "the message does not consist of whole objects of this type");
        return nullptr;
    }
    range.resize(static_cast<std::size_t>(elements / each));
    return std::ranges::data(range);
}

/// The same as a callback of C: null if there is no memory or the message does not fit the type.
template <resizable_range R>
void *make_room_or_null(MPI_Count elements, const MPI_Status *found, void *range) noexcept {
    static char nowhere; // something that is not null, for messages without data
    constexpr auto each = static_cast<MPI_Count>(bytes_on_wire<element_of<R>>());
    if constexpr (each > 1)
        if (bytes_of(*found) % each != 0)
            return nullptr;
    void *place = nullptr;
    if (caught([&] { place = make_room(*static_cast<R *>(range), elements); }))
        return nullptr;
    return place != nullptr ? place : &nowhere;
}

template <resizable_range R> MPI_Datatype element_type() {
    return strict(wire<element_of<R>>::type());
}

#if LISLE_USE_EXTENSIONS

/// The callbacks of MPIX_Irecv_inspect: read an object from its message, if need be through a buffer.
template <serialized T> class reading {
  public:
    explicit reading(T &object) noexcept : object_{object} {}
    static void inspect(const void *data, MPI_Count bytes, const MPI_Status *, void *self) noexcept {
        auto &me = *static_cast<reading *>(self);
        me.failure_ = caught([&] {
            serializer<T>::read_message(
                {static_cast<const std::byte *>(data), static_cast<std::size_t>(bytes)}, me.object_);
        });
    }
    static void *allocate(MPI_Count bytes, const MPI_Status *found, void *self) noexcept {
        return make_room_or_null<byte_buffer>(bytes, found, &static_cast<reading *>(self)->landed_);
    }
    /// Throws what went wrong.
    void finish() const {
        if (failure_)
            std::rethrow_exception(failure_);
    }

  private:
    T &object_;
    byte_buffer landed_;
    std::exception_ptr failure_;
};

#endif

/// Receives what a matched probe has taken into a container.
template <resizable_range R>
void start_matched(R &range, MPI_Message message, const MPI_Status &found, MPI_Request &request) {
    MPI_Count elements = 0;
    if (!check(MPI_Get_count_c(&found, element_type<R>(), &elements), "MPI_Get_count") ||
        elements == MPI_UNDEFINED)
        elements = -1; // no whole objects: make_room() says so
    void *place = nullptr;
    const std::exception_ptr no_room = caught([&] { place = make_room(range, elements); });
    if (no_room || failed()) {
        // Received all the same, truncated, so that the sender does not wait for ever.
        MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        rethrow_first(no_room, {});
        return;
    }
    check(MPI_Imrecv_c(place, elements, element_type<R>(), &message, &request), "MPI_Imrecv");
}

template <resizable_range R>
void receive_sized(R &range, int source, int tag, MPI_Comm comm, MPI_Status *ended) {
#if LISLE_USE_EXTENSIONS
    check(MPIX_Recv_allocate(&make_room_or_null<R>, &range, element_type<R>(), source, tag, comm, ended),
          "MPIX_Recv_allocate", named_value{"source", source}, named_value{"tag", tag});
#else
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status found;
    if (!check(MPI_Mprobe(source, tag, comm, &message, &found), "MPI_Mprobe", named_value{"source", source},
               named_value{"tag", tag}))
        return;
    MPI_Request request = MPI_REQUEST_NULL;
    start_matched(range, message, found, request);
    check(MPI_Wait(&request, ended), "MPI_Wait");
#endif
}

/// Waits for a message that is an object's bytes and reads it into the object.
template <serialized T>
void receive_object(T &object, int source, int tag, MPI_Comm comm, MPI_Status *ended) {
#if LISLE_USE_EXTENSIONS
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Status found;
    check(MPI_Mprobe(source, tag, comm, &matched, &found), "MPI_Mprobe", named_value{"source", source},
          named_value{"tag", tag});
    serializer<T>::read_matched(matched, found, object);
    if (ended != MPI_STATUS_IGNORE)
        *ended = found;
#else
    byte_buffer bytes;
    MPI_Status own;
    MPI_Status *const seen = ended != MPI_STATUS_IGNORE ? ended : &own;
    receive_sized(bytes, source, tag, comm, seen);
    read_received(bytes, *seen, object);
#endif
}

#if LISLE_USE_EXTENSIONS

/// A receive of a serialised object, under way.
template <serialized T> class object_reading final : public result_of<T> {
  public:
    MPI_Request start(int source, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPIX_Irecv_inspect(&reading<T>::inspect, &reading<T>::allocate, &how_, source, tag, comm,
                                 &request),
              "MPIX_Irecv_inspect", named_value{"source", source}, named_value{"tag", tag});
        return request;
    }
    T take(const status &) override {
        how_.finish();
        return std::move(object_);
    }

  private:
    T object_{};
    reading<T> how_{object_};
};

/// A receive of a container that grows, under way.
template <receivable T> class growing_receive final : public result_of<T> {
  public:
    MPI_Request start(int source, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPIX_Irecv_allocate(&make_room_or_null<landing<T>>, &landed_, element_type<landing<T>>(),
                                  source, tag, comm, &request),
              "MPIX_Irecv_allocate", named_value{"source", source}, named_value{"tag", tag});
        return request;
    }
    T take(const status &ended) override { return unwrap<T>(std::move(landed_), *ended.native()); }

  private:
    landing<T> landed_;
};

/// A receive into a container that exists and gets its size when the message comes.
template <resizable_range Room> class filling_receive final : public operation {
  public:
    explicit filling_receive(Room room) : room_{room} {}
    MPI_Request start(int source, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPIX_Irecv_allocate(&make_room_or_null<Room>, &room_, element_type<Room>(), source, tag, comm,
                                  &request),
              "MPIX_Irecv_allocate", named_value{"source", source}, named_value{"tag", tag});
        return request;
    }

  private:
    Room room_;
};

/// A receive of one object of a direct type, under way.
template <direct T> class object_receive final : public result_of<T> {
  public:
    MPI_Request start(int source, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Irecv_c(&object_, wire<T>::count, strict(wire<T>::type()), source, tag, comm, &request),
              "MPI_Irecv", named_value{"source", source}, named_value{"tag", tag});
        return request;
    }
    T take(const status &ended) override {
        require_whole<T>(*ended.native());
        return std::move(object_);
    }

  private:
    T object_{};
};

#else

/// An operation that may have to wait for its turn before it can begin.
template <class Operation> class queued_operation : public Operation, protected unposted {
  public:
    bool prepare(MPI_Request &request, bool wait) final { return started(request, wait); }
    bool withdraw() final { return unposted::withdraw(); }
    MPI_Request start(int source, int tag, MPI_Comm comm) {
        queue(source, tag, comm);
        return MPI_REQUEST_NULL;
    }

  protected:
    /// Receives into a container if the message is there.
    template <class R> bool try_start_into(R &range, MPI_Request &request) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status found;
        int flag = 0;
        if (!check(MPI_Improbe(source_, tag_, comm_, &flag, &message, &found), "MPI_Improbe"))
            return true;
        if (flag != 0)
            start_matched(range, message, found, request);
        return flag != 0;
    }
};

/// A receive of a container that grows, under way.
template <receivable T> class growing_receive final : public queued_operation<result_of<T>> {
  public:
    T take(const status &ended) override { return unwrap<T>(std::move(landed_), *ended.native()); }

  private:
    bool try_start(MPI_Request &request) override { return this->try_start_into(landed_, request); }
    landing<T> landed_;
};

/// A receive into a container that exists and gets its size when the message comes.
template <resizable_range Room> class filling_receive final : public queued_operation<operation> {
  public:
    explicit filling_receive(Room room) : room_{room} {}

  private:
    bool try_start(MPI_Request &request) override { return this->try_start_into(room_, request); }
    Room room_;
};

/// A receive into memory of known size that has others before it.
template <class Operation> class sized_receive : public queued_operation<Operation> {
  public:
    explicit sized_receive(const buffer &into) : into_{into} {}

  private:
    bool try_start(MPI_Request &request) final {
        check(MPI_Irecv_c(into_.writable(), into_.count, into_.type, this->source_, this->tag_, this->comm_,
                          &request),
              "MPI_Irecv", named_value{"source", this->source_}, named_value{"tag", this->tag_});
        return true;
    }
    buffer into_;
};

/// A receive of one object of a direct type, under way.
template <direct T> class object_receive final : public sized_receive<result_of<T>> {
  public:
    object_receive() : sized_receive<result_of<T>>{message_buffer(object_)} {}
    T take(const status &ended) override {
        if (this->source_ != no_rank) // of which MPICH's status says nothing
            require_whole<T>(*ended.native());
        return std::move(object_);
    }

  private:
    T object_{};
};

#endif

/// An object that an operation reads from and that comes back afterwards.
template <class T> class kept_object final : public result_of<T> {
  public:
    explicit kept_object(T &&kept) : object{std::move(kept)} {}
    T take(const status &) override { return std::move(object); }
    T object;
};

/// An object that an operation reads and that is not returned.
template <class T> class used_object final : public result_of<void> {
  public:
    explicit used_object(T &&used) : object{std::move(used)} {}
    void take(const status &) override {}
    T object;
};

/// An object whose bytes are sent, and which comes back afterwards.
template <class T> class written_object final : public result_of<T> {
  public:
    explicit written_object(T &&written)
        : bytes{serializer<T>::write(written)}, object_{std::move(written)} {}
    T take(const status &) override { return std::move(object_); }
    byte_buffer bytes;

  private:
    T object_;
};

} // namespace detail

/// A message that a matched probe has taken: only receiving it here can receive it.
///
///     if (auto message = world.improbe(lisle::any_source))
///         auto values = message->receive<std::vector<int>>();
class message {
  public:
    message(MPI_Message handle, const lisle::status &found) noexcept : handle_{handle}, status_{found} {}
    message(message &&other) noexcept
        : handle_{std::exchange(other.handle_, MPI_MESSAGE_NULL)}, status_{other.status_} {}
    message &operator=(message &&) = delete;
    /// A message that has not been received is received and dropped.
    ~message() {
        if (handle_ == MPI_MESSAGE_NULL)
            return;
        static_cast<void>(detail::caught([this] { // a destructor cannot report it
            MPI_Count bytes = 0;
            detail::byte_buffer dropped;
            MPI_Get_count_c(status_.native(), MPI_BYTE, &bytes);
            dropped.resize(static_cast<std::size_t>(bytes));
            MPI_Mrecv_c(dropped.data(), bytes, MPI_BYTE, &handle_, MPI_STATUS_IGNORE);
        }));
    }

    /// Of whom the message is, with which tag, and how long.
    [[nodiscard]] const lisle::status &status() const noexcept { return status_; }

    /// The message as an object of type T, once. As communicator::receive<T>().
    template <class T> [[nodiscard]] detail::returned<T> receive() {
        if constexpr (direct<T>) {
            T object{};
            detail::require_whole<T>(*receive_into(object).native());
            return object;
        } else if constexpr (has_extensions && serialized<T>) {
            T object{};
            receive_into(object);
            return object;
        } else if constexpr (receivable<T>) {
            detail::landing<T> landed;
            MPI_Request request = MPI_REQUEST_NULL;
            detail::start_matched(landed, std::exchange(handle_, MPI_MESSAGE_NULL), *status_.native(),
                                  request);
            detail::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
            return detail::unwrap<T>(std::move(landed), *status_.native());
        } else {
            detail::explain_not_sendable<detail::unreceived<T>>();
            detail::refused<T>();
        }
    }
    detail::refusal receive_into(detail::unchangeable);
    template <object_to_fill T> lisle::status receive_into(T &&into) {
        if constexpr (writable_buffer<T>) {
            lisle::status ended;
            const auto data = detail::message_buffer(into);
            detail::check(MPI_Mrecv_c(data.writable(), data.count, data.type, &handle_, ended.native()),
                          "MPI_Mrecv", named_value{"count", data.count});
            return ended;
        } else {
#if LISLE_USE_EXTENSIONS
            using type = std::remove_cvref_t<T>;
            detail::serializer<type>::read_matched(std::exchange(handle_, MPI_MESSAGE_NULL),
                                                   *status_.native(), into);
#else
            detail::read_received(receive<detail::byte_buffer>(), *status_.native(), into);
#endif
            return status_;
        }
    }

    /// Receives into a container that gets the message's size, or grows if it must.
    template <detail::sized_place Into> lisle::status receive_into(Into into) {
        using destination = detail::destination_of<Into>;
        detail::sized_as<typename destination::object, destination::policy> room{destination::in(into)};
        MPI_Request request = MPI_REQUEST_NULL;
        detail::start_matched(room, std::exchange(handle_, MPI_MESSAGE_NULL), *status_.native(), request);
        detail::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        return status_;
    }

  private:
    MPI_Message handle_;
    lisle::status status_;
};

} // namespace lisle
