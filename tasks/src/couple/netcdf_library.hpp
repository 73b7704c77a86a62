// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace lisle::couple::detail {

/// The functions of netCDF's library that are used here, as netcdf.h declares them.
struct netcdf_library {
    static constexpr int read_only = 0, writable = 1, real64 = 6, integer32 = 4, whole_file = -1,
                         large_offsets = 0x0200, large_data = 0x0020;

    int (*open)(const char *path, int mode, int *file);
    int (*create)(const char *path, int mode, int *file);
    int (*close)(int file);
    const char *(*error_text)(int error);
    int (*find_dimension)(int file, const char *name, int *dimension);
    int (*length_of)(int file, int dimension, std::size_t *length);
    int (*find_variable)(int file, const char *name, int *variable);
    int (*dimensions_of)(int file, int variable, int *count);
    int (*attribute_length)(int file, int variable, const char *name, std::size_t *length);
    int (*get_text_attribute)(int file, int variable, const char *name, char *text);
    int (*put_text_attribute)(int file, int variable, const char *name, std::size_t length, const char *text);
    int (*define_dimension)(int file, const char *name, std::size_t length, int *dimension);
    int (*define_variable)(int file, const char *name, int type, int count, const int *dimensions,
                           int *variable);
    int (*get_integers)(int file, int variable, const std::size_t *begin, const std::size_t *count,
                        long long *into);
    int (*get_reals)(int file, int variable, const std::size_t *begin, const std::size_t *count,
                     double *into);
    int (*put_integers)(int file, int variable, const std::size_t *begin, const std::size_t *count,
                        const long long *values);
    int (*put_reals)(int file, int variable, const std::size_t *begin, const std::size_t *count,
                     const double *values);

    /// Null if there is none.
    [[nodiscard]] static const netcdf_library *loaded();
    /// What to do then.
    [[nodiscard]] static std::string how_to_install();
};

} // namespace lisle::couple::detail
