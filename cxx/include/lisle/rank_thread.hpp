// SPDX-License-Identifier: Apache-2.0
// Threads of a rank that was made inside the program: a std::thread started by a rank of lisle::run belongs
// to no rank, since the program's threads do not know of ranks. Everywhere else a rank's threads belong to it
// anyway.
#pragma once

#include <concepts>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "lisle/detail/error.hpp"

namespace lisle {

namespace detail {

#if LISLE_USE_EXTENSIONS
/// The calling thread is one of a rank's as long as this lives.
class adopted {
  public:
    explicit adopted(void *rank) { check(MPIX_Rank_adopt(rank, &former_), "MPIX_Rank_adopt"); }
    adopted(const adopted &) = delete;
    adopted &operator=(const adopted &) = delete;
    ~adopted() { MPIX_Rank_adopt(former_, &former_); }

  private:
    void *former_ = nullptr;
};
#endif

} // namespace detail

/// Starts a thread that belongs to the caller's rank: what it calls of MPI the rank has called. It must end
/// before the rank does, for which the result waits when it is destroyed.
///
///     lisle::run(4, [] {
///         auto receiver = lisle::rank_thread([] { use(lisle::world().receive<int>(lisle::any_source)); });
///         ...
///     });
template <class Function, class... Arguments>
requires std::invocable<Function, Arguments...>
[[nodiscard]] std::jthread rank_thread(Function &&function, Arguments &&...arguments) {
#if LISLE_USE_EXTENSIONS
    void *rank = nullptr;
    detail::check(MPIX_Rank_self(&rank), "MPIX_Rank_self");
    return std::jthread{
        [rank, body = std::decay_t<Function>(std::forward<Function>(function)),
         values = std::tuple<std::decay_t<Arguments>...>(std::forward<Arguments>(arguments)...)]() mutable {
            const detail::adopted thread{rank};
            std::apply(std::move(body), std::move(values));
        }};
#else
    return std::jthread{std::forward<Function>(function), std::forward<Arguments>(arguments)...};
#endif
}

} // namespace lisle
