// SPDX-License-Identifier: Apache-2.0
// How a message of unknown size is received: matched first, then the container gets its size, then the data
// comes. With Lisle that is one call of the library's; elsewhere a matched probe does it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/request.hpp"
#include "lisle/transfer.hpp"

namespace lisle {

/// An object and what is known of the message that brought it: `auto [value, status] = ...`.
template <class T> struct received {
    T value;
    lisle::status status;
};

namespace detail {

/// What T is received as: itself, or the bytes that it is made of afterwards.
template <class T> using landing = std::conditional_t<serialized<T>, byte_buffer, T>;

/// From what was received to what was asked for.
template <class T> T unwrap(landing<T> &&landed) {
    if constexpr (serialized<T>)
        return serializer<T>::read(landed);
    else
        return std::move(landed);
}

/// Gives a container room for `elements` elements of its datatype, and says where.
template <resizable_range R> void *make_room(R &range, MPI_Count elements) {
    constexpr MPI_Count each = wire<element_of<R>>::count;
    if (elements % each != 0)
        raise(MPI_ERR_TRUNCATE, "lisle::receive", {{"elements", elements}, {"elements of an object", each}},
              "the message does not consist of whole objects of this type");
    range.resize(static_cast<std::size_t>(elements / each));
    return std::ranges::data(range);
}

/// The same as a callback of C: null if there is no memory or the message does not fit the type.
template <resizable_range R>
void *make_room_or_null(MPI_Count elements, const MPI_Status *, void *range) noexcept {
    static char nowhere; // something that is not null, for messages without data
    try {
        void *const place = make_room(*static_cast<R *>(range), elements);
        return place != nullptr ? place : &nowhere;
    } catch (...) {
        return nullptr;
    }
}

template <resizable_range R> MPI_Datatype element_type() {
    return wire<element_of<R>>::type();
}

template <resizable_range R>
void receive_sized(R &range, int source, int tag, MPI_Comm comm, MPI_Status *ended) {
#if LISLE_USE_EXTENSIONS
    check(MPIX_Recv_allocate(&make_room_or_null<R>, &range, element_type<R>(), source, tag, comm, ended),
          "MPIX_Recv_allocate", named_value{"source", source}, named_value{"tag", tag});
#else
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status found;
    MPI_Count elements = 0;
    check(MPI_Mprobe(source, tag, comm, &message, &found), "MPI_Mprobe", named_value{"source", source},
          named_value{"tag", tag});
    check(MPI_Get_count_c(&found, element_type<R>(), &elements), "MPI_Get_count");
    void *const place = make_room(range, elements);
    check(MPI_Mrecv_c(place, elements, element_type<R>(), &message, ended), "MPI_Mrecv");
#endif
}

/// A receive of a container that grows, under way.
template <object_to_receive T> class growing_receive final : public result_of<T> {
  public:
    growing_receive(int source, int tag, MPI_Comm comm) : source_{source}, tag_{tag}, comm_{comm} {}

    MPI_Request start() {
        MPI_Request request = MPI_REQUEST_NULL;
#if LISLE_USE_EXTENSIONS
        check(MPIX_Irecv_allocate(&make_room_or_null<landing<T>>, &landed_, element_type<landing<T>>(),
                                  source_, tag_, comm_, &request),
              "MPIX_Irecv_allocate", named_value{"source", source_}, named_value{"tag", tag_});
        started_ = true;
#endif
        return request;
    }
    bool prepare(MPI_Request &request, bool wait) override {
        if (started_)
            return true;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status found;
        int flag = 1;
        if (wait)
            check(MPI_Mprobe(source_, tag_, comm_, &message, &found), "MPI_Mprobe");
        else
            check(MPI_Improbe(source_, tag_, comm_, &flag, &message, &found), "MPI_Improbe");
        if (flag == 0)
            return false;
        MPI_Count elements = 0;
        check(MPI_Get_count_c(&found, element_type<landing<T>>(), &elements), "MPI_Get_count");
        void *const place = make_room(landed_, elements);
        check(MPI_Imrecv_c(place, elements, element_type<landing<T>>(), &message, &request), "MPI_Imrecv");
        started_ = true;
        return true;
    }
    T take(const status &) override {
        return unwrap<T>(std::move(landed_));
    }

  private:
    int source_;
    int tag_;
    MPI_Comm comm_;
    bool started_ = false;
    landing<T> landed_;
};

/// A receive of one object of a direct type, under way.
template <direct T> class object_receive final : public result_of<T> {
  public:
    MPI_Request start(int source, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Irecv_c(&object_, wire<T>::count, wire<T>::type(), source, tag, comm, &request),
              "MPI_Irecv", named_value{"source", source}, named_value{"tag", tag});
        return request;
    }
    T take(const status &) override { return std::move(object_); }

  private:
    T object_{};
};

/// An object that an operation reads from and that comes back afterwards.
template <class T> class kept_object final : public result_of<T> {
  public:
    explicit kept_object(T &&kept) : object{std::move(kept)} {}
    T take(const status &) override { return std::move(object); }
    T object;
};

/// An object that an operation reads from and nobody wants back.
template <class T> class used_object final : public result_of<void> {
  public:
    explicit used_object(T &&used) : object{std::move(used)} {}
    void take(const status &) override {}
    T object;
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
    /// A message that nobody has received is received and dropped.
    ~message() {
        if (handle_ == MPI_MESSAGE_NULL)
            return;
        try {
            static_cast<void>(receive<std::vector<std::byte>>());
        } catch (...) { // there is no way to tell
        }
    }

    [[nodiscard]] const lisle::status &status() const noexcept { return status_; }

    template <object_to_receive T> [[nodiscard]] T receive() {
        if constexpr (direct<T>) {
            T object{};
            receive_into(object);
            return object;
        } else {
            detail::landing<T> landed;
            MPI_Count elements = 0;
            const MPI_Datatype type = detail::element_type<detail::landing<T>>();
            detail::check(MPI_Get_count_c(status_.native(), type, &elements), "MPI_Get_count");
            if (elements == MPI_UNDEFINED)
                elements = -1; // no whole objects: make_room() says so
            void *const place = detail::make_room(landed, elements);
            detail::check(MPI_Mrecv_c(place, elements, type, &handle_, MPI_STATUS_IGNORE), "MPI_Mrecv");
            return detail::unwrap<T>(std::move(landed));
        }
    }
    template <buffer_to_fill B> lisle::status receive_into(B &&into) {
        lisle::status ended;
        const auto data = as_buffer(into);
        detail::check(MPI_Mrecv_c(data.writable(), data.count, data.type, &handle_, ended.native()),
                      "MPI_Mrecv", named_value{"count", data.count});
        return ended;
    }

  private:
    MPI_Message handle_;
    lisle::status status_;
};

} // namespace lisle
