// SPDX-License-Identifier: Apache-2.0
// How the entry points keep a rank's list of open handles (base/open_handles.hpp), and the report that
// MPI_Finalize makes of it. Without LISLE_CHECK there is no list, and each of these is one comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/checks.hpp"
#include "base/object.hpp"
#include "base/open_handles.hpp"
#include "datatype/datatype.hpp"
#include "execution/rank.hpp"
#include "mpi.h"
#include "protocol/message/request.hpp"

namespace lisle::abi {

/// The value of a handle or an attribute key as the list has it.
template <class Handle> [[nodiscard]] std::uintptr_t listed_value(Handle handle) noexcept {
    return handle_value(handle);
}
[[nodiscard]] inline std::uintptr_t listed_value(int key) noexcept {
    return static_cast<unsigned>(key);
}

/// True for what a program has to free: neither null nor a constant of the standard's.
template <class Handle> [[nodiscard]] bool to_be_freed(Handle handle) noexcept {
    return handle_value(handle) >= first_dynamic_handle;
}
[[nodiscard]] inline bool to_be_freed(int key) noexcept {
    return key != MPI_KEYVAL_INVALID;
}
/// The f90 types are handles to objects that nobody may free.
[[nodiscard]] bool to_be_freed(MPI_Datatype handle) noexcept;

/// Requests come and go with each message. With LISLE_CHECK=1, where that is to cost little, only those are
/// listed that are persistent or are about no message alone; the others are counted.
[[gnu::cold]] void note_lasting_request(open_handles &open, MPI_Request handle, const char *call,
                                        const void *caller);
[[gnu::always_inline]] inline void note_request(rank &self, MPI_Request handle, const char *call,
                                                const void *caller) {
    const auto *const made =
        to_be_freed(handle) ? static_cast<const protocol::request *>(reinterpret_cast<const object *>(handle))
                            : nullptr;
    if (made != nullptr && made->ending != protocol::disposal::general && !self.open->lists_all_requests())
        [[likely]] {
        self.open->count_requests(1, self.calls_alone());
    } else {
        note_lasting_request(*self.open, handle, call, caller);
    }
}

/// Lists a handle that the call that the thread is in gives.
[[gnu::cold]] void note_open(open_handles &open, std::uintptr_t value, const char *noun, const char *call,
                             const void *caller);

/// A successful call has given this handle to the program. Inlined, so that the return address is the
/// program's.
template <class Handle>
[[gnu::always_inline]] inline void note_given(Handle handle, const char *noun, const char *call) {
    if (rank &self = this_rank(); self.open != nullptr) [[unlikely]] {
        if constexpr (std::is_same_v<Handle, MPI_Request>) {
            note_request(self, handle, call, __builtin_return_address(0));
        } else if (to_be_freed(handle)) {
            note_open(*self.open, listed_value(handle), noun, call, __builtin_return_address(0));
        }
    }
}

/// The same for the types that MPI_Type_get_contents has told of `type`.
[[gnu::always_inline]] inline void note_contents(const datatype &type, const MPI_Datatype *types,
                                                 const char *call) {
    if (this_rank().open != nullptr) [[unlikely]] {
        for (std::size_t i = 0; i < type.origin().types.size(); ++i) {
            note_given(types[i], "datatype", call);
        }
    }
}

/// Around a call that may free handles: those that it makes null are no longer open, even if it fails.
template <class Handle> class handle_watch {
  public:
    handle_watch(const Handle *handles, MPI_Count count, const char *noun) {
        if (open_handles *const open = this_rank().open.get(); open != nullptr) [[unlikely]] {
            watched_.reset(new state{open, handles, noun, std::vector(handles, handles + count)});
        }
    }
    handle_watch(const handle_watch &) = delete;
    handle_watch &operator=(const handle_watch &) = delete;
    ~handle_watch() {
        if (watched_) [[unlikely]] {
            compare();
        }
    }

  private:
    struct state {
        open_handles *open;
        const Handle *handles;
        const char *noun;
        std::vector<Handle> before;
    };

    [[gnu::cold]] void compare() const {
        for (std::size_t i = 0; i < watched_->before.size(); ++i) {
            if (const Handle before = watched_->before[i]; watched_->handles[i] != before) {
                const bool listed = watched_->open->drop(listed_value(before), watched_->noun);
                if (std::is_same_v<Handle, MPI_Request> && !listed) {
                    watched_->open->count_requests(-1, this_rank().calls_alone());
                }
            }
        }
    }
    std::unique_ptr<state> watched_;
};

/// Where the program made the call that gave it the handle: "ring.c:12". Slow: opens the file.
[[nodiscard]] std::string where_made(const open_handle &made);

/// Lists the open handles on the standard error stream, one line for all that one call has made in one
/// place. @param ends the call that should have found none
void report_open_handles(rank &self, const char *ends);

} // namespace lisle::abi
