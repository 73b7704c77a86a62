// SPDX-License-Identifier: Apache-2.0
#include "report/recorder/memory_watch.hpp"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace lisle::report {

void memory_watch::begin() noexcept {
    has_begun_ = true;
    memory_file_ = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    int provided = 0;
    watches_ = PMPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS;
    if (watches_ && PMPI_T_pvar_session_create(&session_) == MPI_SUCCESS) {
        unexpected_ = handle_of("lisle_unexpected_messages");
        PMPI_T_pvar_start(session_, unexpected_); // a counter; the other one is always known
        stored_ = handle_of("lisle_unexpected_bytes_stored");
    }
}

MPI_T_pvar_handle memory_watch::handle_of(const char *name) const noexcept {
    int number = 0;
    int class_of = MPI_T_PVAR_CLASS_COUNTER;
    MPI_T_pvar_handle made = MPI_T_PVAR_HANDLE_NULL;
    if (PMPI_T_pvar_get_index(name, class_of, &number) != MPI_SUCCESS) {
        class_of = MPI_T_PVAR_CLASS_LEVEL;
        if (PMPI_T_pvar_get_index(name, class_of, &number) != MPI_SUCCESS) {
            return made;
        }
    }
    int values = 0;
    PMPI_T_pvar_handle_alloc(session_, number, nullptr, &made, &values);
    return made;
}

void memory_watch::end() noexcept {
    has_begun_ = false;
    if (memory_file_ >= 0) {
        close(memory_file_);
        memory_file_ = -1;
    }
    if (watches_) {
        PMPI_T_pvar_session_free(&session_);
        unexpected_ = stored_ = MPI_T_PVAR_HANDLE_NULL;
        PMPI_T_finalize();
        watches_ = false;
    }
}

std::uint64_t memory_watch::value_of(MPI_T_pvar_handle variable) const noexcept {
    std::uint64_t value = 0;
    return variable != MPI_T_PVAR_HANDLE_NULL && PMPI_T_pvar_read(session_, variable, &value) == MPI_SUCCESS
               ? value
               : 0;
}

memory_sample memory_watch::look() const noexcept {
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    memory_sample seen;
    std::array<char, 128> text{};
    if (memory_file_ >= 0 && pread(memory_file_, text.data(), text.size() - 1, 0) > 0) { // size resident ...
        char *second = nullptr;
        static_cast<void>(std::strtoull(text.data(), &second, 10));
        seen.resident = std::strtoull(second, nullptr, 10) * page;
    }
    seen.unexpected = value_of(unexpected_);
    seen.stored = value_of(stored_);
    return seen;
}

} // namespace lisle::report
