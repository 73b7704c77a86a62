// SPDX-License-Identifier: Apache-2.0
// Error handlers, and what happens when a call fails: the handler of the communicator that the call was
// about (MPI_COMM_SELF's if it was about none) ends the job, returns the code, or is the user's function.
// No lock is held while the user's function runs.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "base/object.hpp"
#include "base/ref.hpp"
#include "mpi.h"

namespace lisle {

class communicator;

/// What a handler does. Handlers made by the user belong to one sort of object.
enum class errhandler_kind : unsigned char { fatal, abort, return_code, comm, win, file, session };

/// An error handler: immutable, shared by reference count.
class errhandler : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::errhandler;

    /// The program's function, for objects with handles of this type.
    template <class Handle> explicit errhandler(void (*function)(Handle *, int *, ...)) noexcept
        : object{object_kind::errhandler}, action{kind_for<Handle>()},
          function_{reinterpret_cast<void (*)()>(function), nullptr, call_with_code<Handle>} {}
    /// A function that is given a state. @param destructor is called with it in the end; null: nothing is
    template <class Handle> errhandler(void (*function)(Handle, int, void *),
                                       MPIX_Destructor_function *destructor, void *state) noexcept
        : object{object_kind::errhandler}, action{kind_for<Handle>()},
          function_{reinterpret_cast<void (*)()>(function), state, call_with_state<Handle>},
          destructor_{destructor} {}
    /// A predefined one. @pre `kind` is fatal, abort or return_code
    explicit errhandler(errhandler_kind kind) noexcept
        : object{object_kind::errhandler}, action{kind}, function_{} {}

    const errhandler_kind action;
    [[nodiscard]] bool predefined() const noexcept { return action <= errhandler_kind::return_code; }

    /// What the program has given.
    struct user_function {
        void (*function)();
        void *state;
        int (*how)(const user_function &, void *, int);

        /// Calls it for the object with this handle. Returns the code that it leaves.
        int call(void *owner, int code) const { return how(*this, owner, code); }
    };
    [[nodiscard]] const user_function &function() const noexcept { return function_; }

    /// Shared ownership. For predefined handlers both do nothing, however often the program frees them.
    void retain() noexcept {
        if (!predefined()) {
            references_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void release() noexcept;

  private:
    ~errhandler() {
        if (destructor_ != nullptr) {
            destructor_(function_.state);
        }
    }

    template <class Handle> static constexpr errhandler_kind kind_for() noexcept {
        if constexpr (std::is_same_v<Handle, MPI_Comm>) {
            return errhandler_kind::comm;
        } else if constexpr (std::is_same_v<Handle, MPI_Win>) {
            return errhandler_kind::win;
        } else if constexpr (std::is_same_v<Handle, MPI_File>) {
            return errhandler_kind::file;
        } else {
            static_assert(std::is_same_v<Handle, MPI_Session>);
            return errhandler_kind::session;
        }
    }
    template <class Handle> static int call_with_code(const user_function &with, void *owner, int code) {
        auto handle = static_cast<Handle>(owner);
        reinterpret_cast<void (*)(Handle *, int *, ...)>(with.function)(&handle, &code);
        return code;
    }
    template <class Handle> static int call_with_state(const user_function &with, void *owner, int code) {
        reinterpret_cast<void (*)(Handle, int, void *)>(with.function)(static_cast<Handle>(owner), code,
                                                                       with.state);
        return code;
    }

    user_function function_;
    MPIX_Destructor_function *destructor_ = nullptr;
    // The last decrement acquires what all others released.
    std::atomic<int> references_{1};
};

using errhandler_ref = ref<errhandler>;

/// The predefined handler of this kind.
[[nodiscard]] errhandler &predefined_errhandler(errhandler_kind kind) noexcept;
/// The one that communicators and sessions have until the program chooses another: MPI_ERRORS_ARE_FATAL
/// unless the user chose it when starting the job (mpiexec -initial-errhandler; MPI-5.0 section 9.3).
[[nodiscard]] errhandler &initial_errhandler() noexcept;
/// The handler behind a handle, or null if there is none (MPI_ERRHANDLER_NULL included).
[[nodiscard]] errhandler *find_errhandler(MPI_Errhandler handle) noexcept;
/// The handle of a handler: the constant for a predefined one.
[[nodiscard]] MPI_Errhandler handle_of_errhandler(errhandler &target) noexcept;

/// The handler of one object. Any thread may read and replace it at any time.
class errhandler_slot {
  public:
    /// The initial one at first.
    [[nodiscard]] errhandler_ref get() const {
        const std::scoped_lock lock{mutex_};
        return current_ ? current_ : errhandler_ref::share(initial_errhandler());
    }
    /// True if the program has chosen the handler.
    [[nodiscard]] bool chosen() const {
        const std::scoped_lock lock{mutex_};
        return static_cast<bool>(current_);
    }
    void set(errhandler_ref replacement) {
        const std::scoped_lock lock{mutex_};
        std::swap(current_, replacement);
    }

  private:
    mutable std::mutex mutex_; ///< protects current_
    errhandler_ref current_;   ///< null: nobody has chosen one
};

/// The calling rank's handler for errors of calls that are about no file, and the first one of each file:
/// MPI_FILE_NULL's, MPI_ERRORS_RETURN at first. [MPI-5.0 14.7]
[[nodiscard]] errhandler_slot &errors_without_file();

/// An error on its way out of the library: the code that the call returns and, if the program has made a
/// handler of its own, whom to call. The handler may leave by longjmp. So this has no destructor, and tell()
/// is called outside all catch blocks with nothing on the stack that has one.
struct told_error {
    int code;
    errhandler::user_function function; ///< none: the program only gets the code
    void *owner;                        ///< handle of the object

    /// Calls the program's handler, if it is to hear of it. Returns the code that the call returns: what the
    /// handler leaves in its argument, "the error code to be returned" [MPI-5.0 9.3.1].
    int tell() const { return function.how != nullptr ? function.call(owner, code) : code; }
};

/// What becomes of an error of the call `call`, unless its handler ends the job here. `comm` is the
/// communicator that the call was about, or null: then it is MPI_COMM_SELF or, if the program has chosen no
/// handler there, MPI_COMM_WORLD, as it was before MPI-4.0. Before MPI_Init and after MPI_Finalize it is the
/// initial handler.
[[nodiscard]] told_error hear_of_error(communicator *comm, const char *call, const mpi_error &error);

/// What becomes of an error whose handler is `handler`, of an object with this handle.
template <class Handle> [[nodiscard]] told_error hear_with(const errhandler &handler, Handle owner,
                                                           const char *call, const mpi_error &error);

/// Keeps the sentence of an error that is given to the program as a code, for the calling thread.
void remember_sentence(const mpi_error &error) noexcept;
/// The sentence of the calling thread's last error, if that had this code; otherwise the text of the code.
/// Throws as class_of_error() (error_codes.hpp).
[[nodiscard]] std::string sentence_of_error(int code);

/// ", at ring.c:12" for the call that the thread is in; empty if it is in none. Defined by the composition
/// root (library/describe_wait.cpp), which knows how to read it off the stack.
[[nodiscard]] std::string place_of_call();

/// Ends the job with a sentence on the standard error stream: "lisle: rank 3: MPI_Send: <sentence>
/// (MPI_ERR_RANK, at ring.c:12)". The end of every error whose handler is fatal. @param handler which of the
/// two
[[noreturn]] void end_job(errhandler_kind handler, const char *call, int code, const std::string &sentence);

template <class Handle>
told_error hear_with(const errhandler &handler, Handle owner, const char *call, const mpi_error &error) {
    if (handler.predefined() && handler.action != errhandler_kind::return_code) {
        end_job(handler.action, call, error.code(), error.what());
    }
    remember_sentence(error);
    return {error.code(), handler.function(), owner};
}

/// Runs a handler as MPI_Comm_call_errhandler and its kin do. @param owner the object's handle
/// @param call the name of the call, for the sentence with which a fatal handler ends the job
template <class Handle>
void call_errhandler(const errhandler_slot &slot, Handle owner, const char *call, int code) {
    told_error told;
    {
        const errhandler_ref handler = slot.get();
        if (handler->action == errhandler_kind::return_code) {
            return;
        }
        if (handler->predefined()) {
            end_job(handler->action, call, code, "the program called its error handler");
        }
        told = {code, handler->function(), owner};
    }
    told.tell();
}

} // namespace lisle
