// SPDX-License-Identifier: Apache-2.0
// What the headers keep for each rank: datatypes and operations made once, found again by the function that
// makes them. Several ranks may live in one process and share these headers' code, so nothing of it may be a
// static variable; it hangs on MPI_COMM_SELF and is freed by MPI_Finalize.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lisle/detail/config.hpp"
#include "lisle/detail/error.hpp"

#if !LISLE_USE_EXTENSIONS
#include "lisle/detail/rank_table.hpp"
#endif

namespace lisle::detail {

/// Handles as the pointers that are kept. In MPI's standard ABI they are pointers, in others numbers.
template <class Handle> void *value_of(Handle handle) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
        return handle;
    else
        return reinterpret_cast<void *>(static_cast<std::intptr_t>(handle));
}
template <class Handle> Handle handle_of(void *value) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
        return static_cast<Handle>(value);
    else
        return static_cast<Handle>(reinterpret_cast<std::intptr_t>(value));
}

/// The calling rank's result of `create`, not null. `create` is called at the first use; if several threads
/// meet there, each calls it, one result is kept and the others are destroyed. Any thread may call this.
/// @pre between MPI_Init and MPI_Finalize, or while a session is open
inline void *rank_data(void *(*create)(), void (*destroy)(void *made)) {
#if LISLE_USE_EXTENSIONS
    void *data = nullptr;
    check(MPIX_Rank_data(create, destroy, &data), "MPIX_Rank_data");
    return data;
#else
    return rank_table::current().get(create, destroy);
#endif
}

/// The calling rank's object of type T.
template <class T> T &rank_object() {
    return *static_cast<T *>(
        rank_data([]() -> void * { return new T; }, [](void *made) { delete static_cast<T *>(made); }));
}

} // namespace lisle::detail
