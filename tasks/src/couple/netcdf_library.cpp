// SPDX-License-Identifier: Apache-2.0
#include "couple/netcdf_library.hpp"

#include <dlfcn.h>

#include <array>
#include <optional>

namespace lisle::couple::detail {

namespace {

// A program that is not built against it finds it by the names of its versions.
constexpr std::array names{"libnetcdf.so", "libnetcdf.so.22", "libnetcdf.so.19", "libnetcdf.so.18",
                           "libnetcdf.so.15"};

void *opened() {
    for (const char *name : names) {
        if (void *const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
    }
    return nullptr;
}

template <class Function> bool find(void *library, const char *name, Function &into) {
    into = reinterpret_cast<Function>(dlsym(library, name));
    return into != nullptr;
}

std::optional<netcdf_library> load() {
    void *const library = opened();
    netcdf_library all{};
    if (library == nullptr || !find(library, "nc_open", all.open) ||
        !find(library, "nc_create", all.create) || !find(library, "nc_close", all.close) ||
        !find(library, "nc_strerror", all.error_text) || !find(library, "nc_inq_dimid", all.find_dimension) ||
        !find(library, "nc_inq_dimlen", all.length_of) || !find(library, "nc_inq_varid", all.find_variable) ||
        !find(library, "nc_inq_varndims", all.dimensions_of) ||
        !find(library, "nc_inq_attlen", all.attribute_length) ||
        !find(library, "nc_get_att_text", all.get_text_attribute) ||
        !find(library, "nc_put_att_text", all.put_text_attribute) ||
        !find(library, "nc_def_dim", all.define_dimension) ||
        !find(library, "nc_def_var", all.define_variable) ||
        !find(library, "nc_get_vara_longlong", all.get_integers) ||
        !find(library, "nc_get_vara_double", all.get_reals) ||
        !find(library, "nc_put_vara_longlong", all.put_integers) ||
        !find(library, "nc_put_vara_double", all.put_reals)) {
        return {};
    }
    return all;
}

} // namespace

const netcdf_library *netcdf_library::loaded() {
    static const std::optional<netcdf_library> own = load();
    return own ? &*own : nullptr;
}

std::string netcdf_library::how_to_install() {
    return "the library of netCDF (libnetcdf.so) is not there: install it (Debian: libnetcdf-dev), or name "
           "its "
           "folder in LD_LIBRARY_PATH";
}

} // namespace lisle::couple::detail
