// SPDX-License-Identifier: Apache-2.0
// Operations that are prepared once and started many times, whole or in parts. They borrow their buffers.
// Most are a request of MPI's; those on serialised objects begin a non-blocking operation in each round.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "lisle/detail/error.hpp"
#include "lisle/request/parted.hpp"
#include "lisle/request/request.hpp"
#include "lisle/request/status.hpp"
#include "lisle/request/unposted.hpp"

namespace lisle {

namespace detail {

/// Partitions are of equal length: throws if `count` elements cannot be divided into so many.
inline void require_equal_parts(MPI_Count count, int partitions) {
    if (partitions <= 0 || count % partitions != 0) [[unlikely]]
        raise(MPI_ERR_COUNT, "lisle::partitioned_init", {{"elements", count}, {"partitions", partitions}},
              "the range cannot be divided into this number of equal parts");
}

/// Rounds that are futures: `begin` starts one, `end` puts its result where it belongs.
template <class Begin, class End> class rounds final : public persistent_owner {
  public:
    rounds(Begin begin, End end) : begin_{std::move(begin)}, end_{std::move(end)} {}
    void start() override { round_.emplace(begin_()); }
    bool finish(bool wait) override {
        if (!round_.has_value())
            return true;
        if (!wait && !round_->ready())
            return false;
        auto ending = *std::exchange(round_, std::nullopt);
        if constexpr (std::is_void_v<decltype(ending.wait())>)
            ending.wait();
        else
            end_(ending.wait());
        return true;
    }

  private:
    Begin begin_;
    End end_;
    std::optional<std::invoke_result_t<Begin &>> round_;
};

/// A round as an operation, so that it can be waited for together with others.
class round_under_way final : public operation {
  public:
    explicit round_under_way(persistent_owner &owner) noexcept : owner_{owner} {}
    bool prepare(MPI_Request &, bool wait) override { return owner_.finish(wait); }

  private:
    persistent_owner &owner_;
};

// Partitioned operations have counts of any size: MPI 4 has one function for them, MPI 5 two. Both functions
// below return the operation, a partitioned_send or partitioned_receive, and set the code of the call.
template <class Operation> Operation prepare_parted_send(int &code, const void *from, int parts,
                                                         MPI_Count count, MPI_Datatype type, int dest,
                                                         int tag, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
#if LISLE_USE_MPI_3
    code = MPI_Send_init_c(from, parts * count, type, dest, tag, comm, &request);
    return Operation{MPI_REQUEST_NULL, std::make_unique<parted>(request, parts)};
#else
#if MPI_VERSION > 4
    code = MPI_Psend_init_c(from, parts, count, type, dest, tag, comm, MPI_INFO_NULL, &request);
#else
    code = MPI_Psend_init(from, parts, count, type, dest, tag, comm, MPI_INFO_NULL, &request);
#endif
    return Operation{request};
#endif
}
template <class Operation> Operation prepare_parted_receive(int &code, void *into, int parts, MPI_Count count,
                                                            MPI_Datatype type, int source, int tag,
                                                            MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
#if LISLE_USE_MPI_3
    code = MPI_Recv_init_c(into, parts * count, type, source, tag, comm, &request);
    return Operation{MPI_REQUEST_NULL, std::make_unique<parted>(request, 0)};
#else
#if MPI_VERSION > 4
    code = MPI_Precv_init_c(into, parts, count, type, source, tag, comm, MPI_INFO_NULL, &request);
#else
    code = MPI_Precv_init(into, parts, count, type, source, tag, comm, MPI_INFO_NULL, &request);
#endif
    return Operation{request};
#endif
}

} // namespace detail

/// An operation that can be started again and again; freed at the end of the scope, after its last round.
///
///     lisle::persistent halo = world.send_init(lisle::borrow(border), left);
///     for (int step = 0; step < steps; ++step) {
///         halo.start();
///         compute_inner();
///         halo.wait();
///     }
class [[nodiscard]] persistent {
  public:
    explicit persistent(MPI_Request handle, std::unique_ptr<detail::operation> owner = {}) noexcept
        : handle_{handle}, owner_{std::move(owner)} {}
    persistent(persistent &&other) noexcept
        : handle_{std::exchange(other.handle_, MPI_REQUEST_NULL)}, owner_{std::move(other.owner_)} {}
    persistent &operator=(persistent &&other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(owner_, other.owner_);
        return *this;
    }
    ~persistent() {
        if (handle_ == MPI_REQUEST_NULL)
            return;
        detail::wait_and_match(&handle_, MPI_STATUS_IGNORE); // returns at once if it is not started
        MPI_Request_free(&handle_);
    }

    /// Begins a round (MPI_Start). The buffers belong to MPI until its wait().
    void start() {
        if (handle_ == MPI_REQUEST_NULL && owner_ != nullptr)
            rounds().start();
        else
            detail::check(MPI_Start(&handle_), "MPI_Start");
    }
    /// Waits for the end of the round and says what it has received. Throws what it failed with.
    status wait() {
        status ended;
        if (owner_ != nullptr)
            rounds().finish(true);
        detail::check(detail::wait_and_match(&handle_, ended.native()), "MPI_Wait");
        return ended;
    }
    /// True if this round is over. Never waits.
    bool test() {
        if (owner_ != nullptr && !rounds().finish(false))
            return false;
        int flag = 0;
        detail::check(MPI_Test(&handle_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
        return flag != 0;
    }
    /// The handle, for calls of C; MPI_REQUEST_NULL if each round has its own.
    [[nodiscard]] MPI_Request native() const noexcept { return handle_; }
    /// A view of the round: its end frees nothing. For wait_any() and the like.
    [[nodiscard]] request round() const {
        if (handle_ == MPI_REQUEST_NULL && owner_ != nullptr)
            return {MPI_REQUEST_NULL,
                    std::unique_ptr<detail::operation>{new detail::round_under_way{rounds()}}};
        return request{handle_};
    }

  protected:
    [[nodiscard]] detail::persistent_owner &rounds() const noexcept {
        return static_cast<detail::persistent_owner &>(*owner_);
    }
    MPI_Request handle_;

  private:
    std::unique_ptr<detail::operation> owner_; ///< a persistent_owner, or null
};

/// A send whose data gets ready part by part, by any thread.
///
///     auto sending = world.partitioned_send_init(lisle::borrow(values), 8, 1);
///     sending.start();
///     for (int part = 0; part < 8; ++part) { compute(part); sending.ready(part); }
///     sending.wait();
class partitioned_send : public persistent {
  public:
    using persistent::persistent;
    /// This part may be sent.
    void ready(int partition) {
#if LISLE_USE_MPI_3
        static_cast<detail::parted &>(rounds()).ready(partition);
#else
        detail::check(MPI_Pready(partition, handle_), "MPI_Pready", named_value{"partition", partition});
#endif
    }
    /// These parts may be sent, the last one included.
    void ready(int first, int last) {
#if LISLE_USE_MPI_3
        for (int partition = first; partition <= last; ++partition)
            ready(partition);
#else
        detail::check(MPI_Pready_range(first, last, handle_), "MPI_Pready_range", named_value{"first", first},
                      named_value{"last", last});
#endif
    }
};

/// Its other side.
class partitioned_receive : public persistent {
  public:
    using persistent::persistent;
    /// True if this part has come.
    [[nodiscard]] bool arrived([[maybe_unused]] int partition) {
#if LISLE_USE_MPI_3
        return static_cast<detail::parted &>(rounds()).arrived();
#else
        int flag = 0;
        detail::check(MPI_Parrived(handle_, partition, &flag), "MPI_Parrived",
                      named_value{"partition", partition});
        return flag != 0;
#endif
    }
};

/// Starts several persistent operations: `lisle::start_all(up, down, left, right)`.
template <std::derived_from<persistent>... Operations> void start_all(Operations &...operations) {
    (operations.start(), ...);
}

} // namespace lisle
