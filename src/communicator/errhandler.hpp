// SPDX-License-Identifier: Apache-2.0
// Error handlers, and what happens when a call fails: the handler of the communicator that the call was
// about (MPI_COMM_SELF's if it was about none) ends the job, returns the code, or is the user's function.
// No lock is held while the user's function runs.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

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

    explicit errhandler(MPI_Comm_errhandler_function *function) noexcept
        : object{object_kind::errhandler}, action{errhandler_kind::comm}, function_{.comm = function} {}
    explicit errhandler(MPI_Win_errhandler_function *function) noexcept
        : object{object_kind::errhandler}, action{errhandler_kind::win}, function_{.win = function} {}
    explicit errhandler(MPI_File_errhandler_function *function) noexcept
        : object{object_kind::errhandler}, action{errhandler_kind::file}, function_{.file = function} {}
    explicit errhandler(MPI_Session_errhandler_function *function) noexcept
        : object{object_kind::errhandler}, action{errhandler_kind::session}, function_{.session = function} {}
    /// A predefined one. @pre `kind` is fatal, abort or return_code
    explicit errhandler(errhandler_kind kind) noexcept
        : object{object_kind::errhandler}, action{kind}, function_{.comm = nullptr} {}

    const errhandler_kind action;
    [[nodiscard]] bool predefined() const noexcept { return action <= errhandler_kind::return_code; }

    union user_function {
        MPI_Comm_errhandler_function *comm;
        MPI_Win_errhandler_function *win;
        MPI_File_errhandler_function *file;
        MPI_Session_errhandler_function *session;
    };
    [[nodiscard]] user_function function() const noexcept { return function_; }
    /// Calls a user's function, which may change the code. Returns it. @pre it is for this sort of object
    static int call(user_function with, MPI_Comm handle, int code) {
        with.comm(&handle, &code);
        return code;
    }
    static int call(user_function with, MPI_Win handle, int code) {
        with.win(&handle, &code);
        return code;
    }
    static int call(user_function with, MPI_File handle, int code) {
        with.file(&handle, &code);
        return code;
    }
    static int call(user_function with, MPI_Session handle, int code) {
        with.session(&handle, &code);
        return code;
    }

    /// Shared ownership. For predefined handlers both do nothing, however often the program frees them.
    void retain() noexcept {
        if (!predefined()) {
            references_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void release() noexcept;

  private:
    ~errhandler() = default;
    user_function function_;
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
    errhandler::user_function function;
    void *owner;                             ///< handle of the object
    int (*call_handler)(const told_error &); ///< null: the program only gets the code

    /// Calls the program's handler, if it is to hear of it. Returns the code that the call returns: what the
    /// handler leaves in its argument, "the error code to be returned" [MPI-5.0 9.3.1].
    int tell() const { return call_handler != nullptr ? call_handler(*this) : code; }
};

/// The error with this code, of which a handler made by the program hears. @param owner the object's handle
template <class Handle>
[[nodiscard]] told_error told_by(const errhandler &handler, Handle owner, int code) noexcept {
    return {code, handler.function(), owner, [](const told_error &told) {
                return errhandler::call(told.function, static_cast<Handle>(told.owner), told.code);
            }};
}

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
/// (MPI_ERR_RANK)". The end of every error whose handler is fatal.
[[noreturn]] void end_job(const char *call, int code, const std::string &sentence);

template <class Handle>
told_error hear_with(const errhandler &handler, Handle owner, const char *call, const mpi_error &error) {
    if (handler.predefined() && handler.action != errhandler_kind::return_code) {
        end_job(call, error.code(), error.what());
    }
    remember_sentence(error);
    return handler.predefined() ? told_error{error.code(), {}, nullptr, nullptr}
                                : told_by(handler, owner, error.code());
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
            end_job(call, code, "the program called its error handler");
        }
        told = told_by(*handler, owner, code);
    }
    told.tell();
}

} // namespace lisle
