// SPDX-License-Identifier: Apache-2.0
// The assertions of the behaviour tests. A failed one says which rank, where, which expression and
// which values, and ends the whole job. Includes nothing of Lisle's, so that a test can be compiled with
// any other MPI to see who is wrong. They are macros only for the text of the expression and its place.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace check {

/// Reports and ends the job.
[[noreturn]] inline void fail(const char *file, int line, const std::string &what) {
    int initialized = 0;
    int rank = -1;
    MPI_Initialized(&initialized);
    if (initialized != 0)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank, file, line, what.c_str());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

template <class Left, class Right>
void equal(const Left &left, const Right &right, const char *expression, const char *file, int line) {
    if (left == right)
        return;
    std::ostringstream text;
    text << expression << ": " << left << " is not " << right;
    fail(file, line, text.str());
}

/// The class of an error code.
inline int error_class(int code) {
    int result = MPI_ERR_UNKNOWN;
    MPI_Error_class(code, &result);
    return result;
}

inline std::string error_text(int code) {
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    text.resize(static_cast<std::size_t>(length));
    return text;
}

inline void success(int code, const char *expression, const char *file, int line) {
    if (code != MPI_SUCCESS)
        fail(file, line, std::string{expression}.append(" failed: ").append(error_text(code)));
}

inline void fails_with(int code, int expected, const char *expression, const char *file, int line) {
    if (error_class(code) == expected)
        return;
    std::ostringstream text;
    text << expression << ": expected the error class " << expected << ", got " << error_class(code) << ": "
         << error_text(code);
    fail(file, line, text.str());
}

/// MPI_Init at the beginning and MPI_Finalize at the end of a test's main.
class job {
  public:
    /// @param level asked for; more if CHECK_LEVEL=multiple says so, under which communicators are spread
    /// over several engines; at most MPI_THREAD_FUNNELED if CHECK_LEVEL=funneled does, where ranks run on
    /// machines without threads
    job(int *argc, char ***argv, int level = MPI_THREAD_SINGLE) {
        const char *const set = std::getenv("CHECK_LEVEL");
        if (set != nullptr && std::string{set} == "multiple" && level < MPI_THREAD_MULTIPLE)
            level = MPI_THREAD_MULTIPLE;
        if (set != nullptr && std::string{set} == "funneled" && level > MPI_THREAD_FUNNELED)
            level = MPI_THREAD_FUNNELED;
        threads = level == MPI_THREAD_MULTIPLE;
        int provided = 0;
        MPI_Init_thread(argc, argv, level, &provided);
        if (provided < level)
            fail(__FILE__, __LINE__, "the thread level " + std::to_string(level) + " is not granted");
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    ~job() { MPI_Finalize(); }
    job(const job &) = delete;
    job &operator=(const job &) = delete;

    int rank = -1;
    int size = 0;
    bool threads = false; ///< several may call at once
};

} // namespace check

/// The condition holds.
#define CHECK(condition) ((condition) ? void() : ::check::fail(__FILE__, __LINE__, "CHECK(" #condition ")"))
/// The values are equal; both are printed otherwise.
#define CHECK_EQ(left, right)                                                                                \
    ::check::equal(left, right, "CHECK_EQ(" #left ", " #right ")", __FILE__, __LINE__)
/// The MPI call returns MPI_SUCCESS.
#define CHECK_MPI(...) ::check::success(__VA_ARGS__, #__VA_ARGS__, __FILE__, __LINE__)
/// The MPI call returns an error of this class. @pre its communicator has MPI_ERRORS_RETURN
#define CHECK_ERROR(expected, ...)                                                                           \
    ::check::fails_with(__VA_ARGS__, expected, #__VA_ARGS__, __FILE__, __LINE__)
