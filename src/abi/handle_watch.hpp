// SPDX-License-Identifier: Apache-2.0
// How the entry points keep a rank's list of open handles (base/open_handles.hpp), and the report that
// MPI_Finalize makes of it. Without LISLE_CHECK there is no list, and each of these is one comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/checks.hpp"
#include "base/object.hpp"
#include "base/open_handles.hpp"
#include "datatype/datatype.hpp"
#include "execution/rank.hpp"
#include "mpi.h"
#include "protocol/request.hpp"

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
[[nodiscard]] bool lasts(const protocol::request &made) noexcept;
[[nodiscard]] inline bool to_be_freed(MPI_Request handle) noexcept {
    const auto *const made = object_of<protocol::request>(handle);
    return made != nullptr &&
           (checks(check_level::all) || (made->ending == protocol::disposal::general && lasts(*made)));
}

/// Counts requests that are not listed.
[[nodiscard]] inline bool calls_alone() noexcept {
    return this_rank().thread_level != MPI_THREAD_MULTIPLE;
}

/// A successful call has given this handle to the program. Inlined, so that the return address is the
/// program's.
template <class Handle>
[[gnu::always_inline]] inline void note_given(Handle handle, const char *noun, const char *call) {
    if (open_handles *const open = this_rank().open.get(); open != nullptr) [[unlikely]] {
        if (to_be_freed(handle)) {
            open->add(listed_value(handle), noun, call, __builtin_return_address(0));
        } else if constexpr (std::is_same_v<Handle, MPI_Request>) {
            open->count_requests(handle != MPI_REQUEST_NULL ? 1 : 0, calls_alone());
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
                    watched_->open->count_requests(-1, calls_alone());
                }
            }
        }
    }
    std::unique_ptr<state> watched_;
};

/// The same around a call that may complete requests.
class completion_watch {
  public:
    completion_watch(const MPI_Request *handles, MPI_Count count) : open_{this_rank().open.get()} {
        if (open_ != nullptr) [[unlikely]] {
            begin(handles, count);
        }
    }
    completion_watch(const completion_watch &) = delete;
    completion_watch &operator=(const completion_watch &) = delete;
    ~completion_watch() {
        if (open_ != nullptr) [[unlikely]] {
            end();
        }
    }

  private:
    [[gnu::cold]] void begin(const MPI_Request *handles, MPI_Count count);
    [[gnu::cold]] void end();
    [[nodiscard]] std::int64_t given() const noexcept;

    open_handles *open_;
    // All below: only if that is not null.
    const MPI_Request *handles_;
    MPI_Count count_;
    std::int64_t before_;                  ///< given()
    handle_watch<MPI_Request> *by_handle_; ///< where all requests are listed; else null
};

/// Lists the open handles on the standard error stream, one line for all that one call has made in one
/// place. @param ends the call that should have found none
void report_open_handles(rank &self, const char *ends);

} // namespace lisle::abi
