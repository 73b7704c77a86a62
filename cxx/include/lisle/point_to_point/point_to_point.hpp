// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks. A layer of communicator: a program calls these functions on one. For objects
// that travel where they lie, each is one call of MPI with the caller's own address.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "lisle/datatype/destination.hpp"
#include "lisle/point_to_point/message.hpp"
#include "lisle/point_to_point/sending.hpp"
#include "lisle/request/persistent.hpp"
#include "lisle/request/request.hpp"

namespace lisle {

/// Where sendrecv() sends to and receives from: `{.dest = next, .source = previous}`.
struct exchange {
    int dest;
    source_rank source;
    message_tag send_tag = 0;
    receive_tag tag = 0;
};

/// Messages between two ranks: the base of communicators and intercommunicators. A view, which frees nothing.
/// Any thread may call as MPI's level of threads allows. Calls throw `error`. [MPI-5.0 3]
class point_to_point {
  protected:
    using refusal = detail::refusal;
    using unfit = detail::unfit;
    using not_to_send = detail::not_taken_by<detail::sending>;
    using not_to_keep = detail::not_taken_by<detail::keeping>;
    using no_range = detail::no_range;
    using not_in_memory = detail::not_in_memory;
    using anything = detail::anything;

  public:
    using native_type = MPI_Comm;

    explicit point_to_point(MPI_Comm comm) noexcept : comm_{comm} {}
    /// The handle, for calls of C.
    [[nodiscard]] MPI_Comm native() const noexcept { return comm_; }
    /// The caller's number, from 0.
    [[nodiscard]] int rank() const {
        int result = 0;
        detail::check(MPI_Comm_rank(comm_, &result), "MPI_Comm_rank");
        return result;
    }
    /// The number of ranks (of the caller's own side, for an intercommunicator).
    [[nodiscard]] int size() const {
        int result = 0;
        detail::check(MPI_Comm_size(comm_, &result), "MPI_Comm_size");
        return result;
    }

    // ---- blocking ----

    /// Sends an object; returns when it may be changed again.
    ///
    ///     world.send(42, 1);
    ///     world.send(values, 1, 7);                       // with the tag 7
    ///     world.send(std::span{pointer, count}, 1);
    template <object_to_send T> void send(const T &object, int dest, message_tag tag = 0) const {
        if constexpr (!has_extensions)
            if (detail::receives_unposted())
                return isend(borrow(object), dest, tag).wait();
        detail::send_object(MPI_Send_c, "MPI_Send", object, dest, tag.value(), comm_);
    }
    /// send(), which returns only when the receive has begun.
    template <object_to_send T> void ssend(const T &object, int dest, message_tag tag = 0) const {
        if constexpr (!has_extensions)
            if (detail::receives_unposted())
                return issend(borrow(object), dest, tag).wait();
        detail::send_object(MPI_Ssend_c, "MPI_Ssend", object, dest, tag.value(), comm_);
    }

    /// Receives a new object. A container gets the size that the message has.
    ///
    ///     int number = world.receive<int>(0);
    ///     auto values = world.receive<std::vector<double>>(lisle::any_source, 7);
    template <class T>
    [[nodiscard]] detail::returned<T> receive(source_rank source, receive_tag tag = any_tag) const {
        return receive_as<T>(source, tag, MPI_STATUS_IGNORE);
    }
    /// receive() that also says who sent it: `auto [values, status] = ...`.
    template <class T> [[nodiscard]] received<detail::returned<T>>
    receive_with_status(source_rank source, receive_tag tag = any_tag) const {
        status ended;
        auto value = receive_as<T>(source, tag, ended.native());
        return {std::move(value), ended};
    }
    /// Receives into memory that exists; a longer message is an error, a shorter one leaves the rest alone.
    /// A serialised object is read into one that exists, whose strings and vectors use the memory they have.
    ///
    ///     std::array<double, 100> values;
    ///     lisle::status s = world.receive_into(values, 0);
    template <object_to_fill T>
    status receive_into(T &&into, source_rank source, receive_tag tag = any_tag) const {
        status ended;
        if constexpr (writable_buffer<T>) {
            if constexpr (!has_extensions)
                if (detail::receives_unposted())
                    return ireceive_into(borrow(into), source, tag).wait();
            const auto data = detail::message_buffer(into);
            detail::check(MPI_Recv_c(data.writable(), data.count, data.type, source.value(), tag.value(),
                                     comm_, ended.native()),
                          "MPI_Recv", named_value{"count", data.count}, named_value{"source", source.value()},
                          named_value{"tag", tag.value()});
        } else if constexpr (serialized<T>) {
            if constexpr (has_extensions)
                detail::receive_object(into, source.value(), tag.value(), comm_, ended.native());
            else
                detail::read_received(receive_as<detail::byte_buffer>(source, tag, ended.native()),
                                      *ended.native(), into);
        }
        return ended;
    }

    /// Receives into a container that gets the message's size, or grows if it must: the memory that it has is
    /// used.
    ///
    ///     world.receive_into(lisle::resized(values), 0);
    ///     std::size_t came = world.receive_into(lisle::grown(values), 0).count<double>();
    template <detail::sized_place Into>
    status receive_into(Into into, source_rank source, receive_tag tag = any_tag) const {
        using destination = detail::destination_of<Into>;
        status ended;
        if constexpr (!has_extensions)
            if (detail::receives_unposted()) {
                auto receiving = ireceive_into(into, source, tag);
                return receiving.wait();
            }
        detail::sized_as<typename destination::object, destination::policy> room{destination::in(into)};
        detail::receive_sized(room, source.value(), tag.value(), comm_, ended.native());
        return ended;
    }

    /// Sends one object and receives another of the same type (or of type Received) at the same time.
    ///
    ///     int left = world.sendrecv(world.rank(), {.dest = next, .source = previous});
    template <class Received = void, object_to_send T>
    [[nodiscard]] auto sendrecv(const T &object, exchange with) const {
        using result = std::conditional_t<std::is_void_v<Received>, std::remove_cv_t<T>, Received>;
        if constexpr (direct<result> && direct_buffer<T>) {
            result got{};
            const status ended = sendrecv_into(object, got, with);
            detail::require_whole<result>(*ended.native());
            return got;
        } else {
            future<result> receiving = ireceive<result>(with.source, with.tag);
            send(object, with.dest, with.send_tag);
            return receiving.wait();
        }
    }
    /// The same between buffers that exist.
    template <object_to_send T, buffer_to_fill B>
    status sendrecv_into(const T &object, B &&into, exchange with) const {
        status ended;
        const auto out = detail::message_buffer(object);
        const auto in = detail::message_buffer(into);
        detail::check(
            MPI_Sendrecv_c(out.address, out.count, out.type, with.dest, with.send_tag.value(), in.writable(),
                           in.count, in.type, with.source.value(), with.tag.value(), comm_, ended.native()),
            "MPI_Sendrecv", named_value{"dest", with.dest}, named_value{"source", with.source.value()});
        return ended;
    }
    /// The same into a container that gets the message's size, or grows if it must.
    template <object_to_send T, detail::sized_place Into>
    status sendrecv_into(const T &object, Into into, exchange with) const {
        auto receiving = ireceive_into(into, with.source, with.tag);
        send(object, with.dest, with.send_tag);
        return receiving.wait();
    }
    /// Sends a buffer and receives into it: `world.sendrecv(lisle::in_place(row), {.dest = up, .source =
    /// down})`.
    template <buffer_to_fill B> status sendrecv(in_place_t<B> both, exchange with) const {
        status ended;
        const auto data = detail::message_buffer(both.object);
        detail::check(MPI_Sendrecv_replace_c(data.writable(), data.count, data.type, with.dest,
                                             with.send_tag.value(), with.source.value(), with.tag.value(),
                                             comm_, ended.native()),
                      "MPI_Sendrecv_replace", named_value{"dest", with.dest},
                      named_value{"source", with.source.value()});
        return ended;
    }

    // ---- looking before receiving ----

    /// Waits for a message and says what it is; it stays where it is.
    [[nodiscard]] status probe(source_rank source, receive_tag tag = any_tag) const {
        status found;
        detail::check(MPI_Probe(source.value(), tag.value(), comm_, found.native()), "MPI_Probe",
                      named_value{"source", source.value()});
        return found;
    }
    /// The same without waiting. (A template so that only programs that probe compile std::optional.)
    template <class Status = status>
    [[nodiscard]] std::optional<Status> iprobe(source_rank source, receive_tag tag = any_tag) const {
        status found;
        int flag = 0;
        detail::check(MPI_Iprobe(source.value(), tag.value(), comm_, &flag, found.native()), "MPI_Iprobe",
                      named_value{"source", source.value()});
        return flag != 0 ? std::optional<Status>{found} : std::nullopt;
    }
    /// Waits for a message and takes it: right also when several threads receive.
    [[nodiscard]] message mprobe(source_rank source, receive_tag tag = any_tag) const {
        status found;
        MPI_Message taken = MPI_MESSAGE_NULL;
        detail::check(MPI_Mprobe(source.value(), tag.value(), comm_, &taken, found.native()), "MPI_Mprobe",
                      named_value{"source", source.value()});
        return message{taken, found};
    }
    /// The same without waiting.
    template <class Message = message>
    [[nodiscard]] std::optional<Message> improbe(source_rank source, receive_tag tag = any_tag) const {
        status found;
        int flag = 0;
        MPI_Message taken = MPI_MESSAGE_NULL;
        detail::check(MPI_Improbe(source.value(), tag.value(), comm_, &flag, &taken, found.native()),
                      "MPI_Improbe", named_value{"source", source.value()});
        return flag != 0 ? std::optional<Message>{std::in_place, taken, found} : std::nullopt;
    }

    // ---- non-blocking ----

    /// Starts to send. What is moved in lives in the future and comes back from it; what is borrowed must
    /// live until then.
    ///
    ///     lisle::future<std::vector<int>> a = world.isend(std::move(values), 1);
    ///     lisle::future<> b = world.isend(lisle::borrow(matrix), 1);
    ///     values = a.wait();
    template <object_to_keep T> [[nodiscard]] auto isend(T &&object, int dest, message_tag tag = 0) const {
        return detail::start_to_send(MPI_Isend_c, "MPI_Isend", std::forward<T>(object), dest, tag.value(),
                                     comm_);
    }
    /// isend() that is complete only when the receive has begun.
    template <object_to_keep T> [[nodiscard]] auto issend(T &&object, int dest, message_tag tag = 0) const {
        return detail::start_to_send(MPI_Issend_c, "MPI_Issend", std::forward<T>(object), dest, tag.value(),
                                     comm_);
    }
    /// Starts to receive a new object, of unknown size if it is a container.
    ///
    ///     auto values = world.ireceive<std::vector<int>>(0);
    ///     use(values.wait());
    template <class T> [[nodiscard]] future<T> ireceive(source_rank source, receive_tag tag = any_tag) const {
        std::unique_ptr<detail::result_of<T>> owner;
        MPI_Request request = MPI_REQUEST_NULL;
        const auto start = [&](auto receive) {
            request = receive->start(source.value(), tag.value(), comm_);
            owner = std::move(receive);
        };
        if constexpr (direct<T>)
            start(std::make_unique<detail::object_receive<T>>());
#if LISLE_USE_EXTENSIONS
        else if constexpr (serialized<T>)
            start(std::make_unique<detail::object_reading<T>>());
#endif
        else if constexpr (receivable<T>)
            start(std::make_unique<detail::growing_receive<T>>());
        else
            detail::explain_not_sendable<detail::unreceived<T>>();
        return future<T>{request, std::move(owner)};
    }
    /// Starts to receive into memory that the caller lends.
    ///
    ///     lisle::future<lisle::status> f = world.ireceive_into(lisle::borrow(halo), left);
    template <detail::fit B> [[nodiscard]] future<status> ireceive_into(borrowed<B> into, source_rank source,
                                                                        receive_tag tag = any_tag) const {
        detail::require_writable<B &>();
        MPI_Request request = MPI_REQUEST_NULL;
        if constexpr (writable_buffer<B &>) {
            const auto data = detail::message_buffer(into.get());
#if !LISLE_USE_EXTENSIONS
            if (detail::unposted_list::mine().overlaps(source.value(), tag.value(), comm_)) {
                auto owner = std::make_unique<detail::sized_receive<detail::operation>>(data);
                const MPI_Request none = owner->start(source.value(), tag.value(), comm_);
                return future<status>{none, std::move(owner)};
            }
#endif
            detail::check(MPI_Irecv_c(data.writable(), data.count, data.type, source.value(), tag.value(),
                                      comm_, &request),
                          "MPI_Irecv", named_value{"count", data.count},
                          named_value{"source", source.value()}, named_value{"tag", tag.value()});
        }
        return future<status>{request};
    }

    /// The same into a container that gets the message's size, or grows if it must.
    ///
    ///     auto f = world.ireceive_into(lisle::resized(values), left);
    template <detail::sized_place Into> [[nodiscard]] future<status>
    ireceive_into(Into into, source_rank source, receive_tag tag = any_tag) const {
        using destination = detail::destination_of<Into>;
        using room = detail::sized_as<typename destination::object, destination::policy>;
        auto owner = std::make_unique<detail::filling_receive<room>>(room{destination::in(into)});
        const MPI_Request request = owner->start(source.value(), tag.value(), comm_);
        return future<status>{request, std::move(owner)};
    }

    // ---- persistent and partitioned: persistent.hpp ----

    /// Prepares a send that will be started many times.
    template <direct_buffer B>
    [[nodiscard]] persistent send_init(borrowed<B> from, int dest, message_tag tag = 0) const {
        const auto data = detail::message_buffer(from.get());
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(
            MPI_Send_init_c(data.address, data.count, data.type, dest, tag.value(), comm_, &request),
            "MPI_Send_init", named_value{"dest", dest});
        return persistent{request};
    }
    /// Prepares a receive that will be started many times.
    template <direct_buffer B> [[nodiscard]] persistent receive_init(borrowed<B> into, source_rank source,
                                                                     receive_tag tag = any_tag) const {
        detail::require_writable<B &>();
        const auto data = detail::message_buffer(into.get());
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Recv_init_c(data.writable(), data.count, data.type, source.value(), tag.value(),
                                      comm_, &request),
                      "MPI_Recv_init", named_value{"source", source.value()});
        return persistent{request};
    }
    /// Prepares a send whose data gets ready in `partitions` equal parts.
    template <direct_range B> [[nodiscard]] partitioned_send
    partitioned_send_init(borrowed<B> from, int partitions, int dest, message_tag tag = 0) const {
        const buffer data = detail::message_buffer(from.get());
        detail::require_equal_parts(data.count, partitions);
        if (detail::failed())
            return partitioned_send{MPI_REQUEST_NULL};
        int code = MPI_SUCCESS;
        auto prepared = detail::prepare_parted_send<partitioned_send>(
            code, data.address, partitions, data.count / partitions, data.type, dest, tag.value(), comm_);
        detail::check(code, "MPI_Psend_init", named_value{"partitions", partitions},
                      named_value{"dest", dest});
        return prepared;
    }
    /// Its other side; it may have another number of parts.
    template <direct_range B> [[nodiscard]] partitioned_receive
    partitioned_receive_init(borrowed<B> into, int partitions, int source, message_tag tag = 0) const {
        detail::require_writable<B &>();
        const buffer data = detail::message_buffer(into.get());
        detail::require_equal_parts(data.count, partitions);
        if (detail::failed())
            return partitioned_receive{MPI_REQUEST_NULL};
        int code = MPI_SUCCESS;
        auto prepared = detail::prepare_parted_receive<partitioned_receive>(
            code, data.writable(), partitions, data.count / partitions, data.type, source, tag.value(),
            comm_);
        detail::check(code, "MPI_Precv_init", named_value{"partitions", partitions},
                      named_value{"source", source});
        return prepared;
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal send(not_to_send, int, message_tag = 0) const;
    refusal ssend(not_to_send, int, message_tag = 0) const;
    refusal isend(not_to_keep, int, message_tag = 0) const;
    refusal issend(not_to_keep, int, message_tag = 0) const;
    refusal sendrecv(not_to_send, exchange) const;
    refusal sendrecv_into(not_in_memory, anything, exchange) const;
    refusal receive_into(detail::unchangeable, source_rank, receive_tag = any_tag) const;
    refusal ireceive_into(unfit, source_rank, receive_tag = any_tag) const;
    refusal send_init(not_in_memory, int, message_tag = 0) const;
    refusal receive_init(not_in_memory, source_rank, receive_tag = any_tag) const;
    refusal partitioned_send_init(no_range, int, int, message_tag = 0) const;
    refusal partitioned_receive_init(no_range, int, int, message_tag = 0) const;

  protected:
    template <class T>
    detail::returned<T> receive_as(source_rank source, receive_tag tag, MPI_Status *ended) const {
        if constexpr (!has_extensions && receivable<T>) {
            if (detail::receives_unposted()) {
                future<T> receiving = ireceive<T>(source, tag);
                receiving.wait_complete();
                if (ended != MPI_STATUS_IGNORE)
                    *ended = *receiving.status().native();
                return receiving.take();
            }
        }
        if constexpr (direct<T>) {
            T object{};
            MPI_Status own;
            MPI_Status *const seen = ended != MPI_STATUS_IGNORE ? ended : &own;
            if (!detail::check(
                    MPI_Recv_c(&object, detail::wire<T>::count, detail::strict(detail::wire<T>::type()),
                               source.value(), tag.value(), comm_, seen),
                    "MPI_Recv", named_value{"source", source.value()}, named_value{"tag", tag.value()}))
                return object;
            detail::require_whole<T>(*seen);
            return object;
        } else if constexpr (serialized<T>) {
            T object{};
            detail::receive_object(object, source.value(), tag.value(), comm_, ended);
            return object;
        } else if constexpr (receivable<T>) {
            detail::landing<T> landed;
            detail::receive_sized(landed, source.value(), tag.value(), comm_, ended);
            return landed;
        } else {
            detail::explain_not_sendable<detail::unreceived<T>>();
            detail::refused<T>();
        }
    }

    MPI_Comm comm_;
};

} // namespace lisle
