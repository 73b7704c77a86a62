// SPDX-License-Identifier: Apache-2.0
// What the tests of files share: a place for a file, and objects that end themselves.
#pragma once

#include "check.hpp"

#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

/// A name that no other job uses, the same for all ranks.
inline std::string scratch_name(const char *what) {
    const char *const folder = std::getenv("TMPDIR");
    std::string name = std::string{folder != nullptr ? folder : "/tmp"} + "/lisle-" + what + "-";
    long number = static_cast<long>(getpid());
    CHECK_MPI(MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    return name + std::to_string(number);
}

/// A file that is gone after the test.
class scratch_file {
  public:
    explicit scratch_file(const char *what, int amode = MPI_MODE_RDWR, MPI_Info hints = MPI_INFO_NULL,
                          MPI_Comm over = MPI_COMM_WORLD)
        : name_{scratch_name(what)} {
        CHECK_MPI(MPI_File_open(over, name_.c_str(), amode | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                                hints, &file_));
    }
    scratch_file(const scratch_file &) = delete;
    scratch_file &operator=(const scratch_file &) = delete;
    ~scratch_file() { CHECK_MPI(MPI_File_close(&file_)); }
    operator MPI_File() const { return file_; } // NOLINT(google-explicit-constructor)
    [[nodiscard]] const std::string &name() const { return name_; }

  private:
    std::string name_;
    MPI_File file_ = MPI_FILE_NULL;
};

/// A committed type that frees itself.
class own_type {
  public:
    explicit own_type(MPI_Datatype type) : type_{type} { CHECK_MPI(MPI_Type_commit(&type_)); }
    own_type(const own_type &) = delete;
    own_type &operator=(const own_type &) = delete;
    ~own_type() { CHECK_MPI(MPI_Type_free(&type_)); }
    operator MPI_Datatype() const { return type_; } // NOLINT(google-explicit-constructor)

  private:
    MPI_Datatype type_;
};

inline MPI_Datatype vector_of(int count, int length, int stride, MPI_Datatype element) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_vector(count, length, stride, element, &made));
    return made;
}

inline int count_of(const MPI_Status &status, MPI_Datatype type) {
    int count = -1;
    CHECK_MPI(MPI_Get_count(&status, type, &count));
    return count;
}

inline void meet() {
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}
