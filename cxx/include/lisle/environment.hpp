// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of MPI as an object, and what can be asked of the library.
#pragma once

#include <cstdio>
#include <string>

#include "lisle/communicator.hpp"

namespace lisle {

/// How many threads of a rank may call MPI.
enum class threads {
    single = MPI_THREAD_SINGLE,
    funneled = MPI_THREAD_FUNNELED,
    serialized = MPI_THREAD_SERIALIZED,
    multiple = MPI_THREAD_MULTIPLE,
};

/// MPI from construction to destruction. Errors become exceptions: the error handlers of world() and self(),
/// and of all communicators made of them, become MPI_ERRORS_RETURN. If MPI runs already, only that is done,
/// and nothing is ended.
///
///     int main() {
///         lisle::environment mpi;
///         lisle::world().send(...);
///     }
class environment {
  public:
    explicit environment(threads wanted = threads::multiple) {
        int initialized = 0;
        MPI_Initialized(&initialized);
        if (initialized == 0) {
            int granted = 0;
            detail::check(MPI_Init_thread(nullptr, nullptr, static_cast<int>(wanted), &granted),
                          "MPI_Init_thread");
            ends_ = true;
        }
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    environment(const environment &) = delete;
    environment &operator=(const environment &) = delete;
    /// Waits for all ranks. If an exception is on its way out of the scope, the others would wait for ever:
    /// prints the rank and what an error of Lisle's says, and ends all.
    ~environment() {
        if (!ends_ || !detail::running())
            return;
        if (std::uncaught_exceptions() > 0)
            abort_with_text();
        MPI_Finalize();
    }

    /// How many threads of the rank may call MPI (MPI_Query_thread).
    [[nodiscard]] static threads thread_level() {
        int granted = 0;
        detail::check(MPI_Query_thread(&granted), "MPI_Query_thread");
        return static_cast<threads>(granted);
    }
    /// The name of the machine (MPI_Get_processor_name).
    [[nodiscard]] static std::string processor_name() {
        char text[MPI_MAX_PROCESSOR_NAME];
        int length = 0;
        detail::check(MPI_Get_processor_name(text, &length), "MPI_Get_processor_name");
        return {text, static_cast<std::size_t>(length)};
    }
    /// What the MPI library says of itself (MPI_Get_library_version).
    [[nodiscard]] static std::string library_version() {
        char text[MPI_MAX_LIBRARY_VERSION_STRING];
        int length = 0;
        detail::check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
        return {text, static_cast<std::size_t>(length)};
    }

  private:
    [[gnu::cold]] static void abort_with_text() {
#if LISLE_USE_EXCEPTIONS
        const char *said = detail::rank_object<detail::newest_error>().take();
        if (said == nullptr)
            said = "an exception that is no lisle::error; catch it in the scope to print its what()";
        std::fprintf(stderr,
                     "lisle: rank %d: %s\nlisle: the exception leaves the scope of lisle::environment; all "
                     "ranks end\n",
                     world().rank(), said);
#endif
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    bool ends_ = false;
};

/// Seconds since some moment in the past.
inline double wall_time() noexcept {
    return MPI_Wtime();
}

} // namespace lisle
