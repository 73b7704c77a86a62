// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/library_rules.hpp"

#include "base/settings.hpp"
#include "base/text.hpp"
#include "launch/host/image/library_search.hpp"

#include <algorithm>
#include <array>
#include <fnmatch.h>

namespace lisle::host {

namespace {

std::vector<std::string> patterns_in(std::string_view list) {
    const std::vector<std::string_view> patterns = words_of(list, ":, ");
    return {patterns.begin(), patterns.end()};
}

bool matches(const std::vector<std::string> &patterns, const std::string &name, const std::string &path) {
    return std::ranges::any_of(patterns, [&](const std::string &each) {
        return fnmatch(each.c_str(), name.c_str(), 0) == 0 || fnmatch(each.c_str(), path.c_str(), 0) == 0;
    });
}

} // namespace

// Libraries that must be one for a process wherever they lie: the C library's, which the host is bound to;
// the runtimes of C++, OpenMP and sanitizers; allocators, which all of a process's memory comes from; drivers
// and virtual machines that take hold of the process.
bool is_one_for_all(std::string_view name) {
    static constexpr std::array<std::string_view, 39> prefixes{
        "ld-linux",       "libc.so",        "libm.so",         "libmvec.so",    "libpthread.so",
        "libdl.so",       "librt.so",       "libresolv.so",    "libutil.so",    "libnsl.so",
        "libanl.so",      "libnss_",        "libthread_db.",   "libmpi_abi.so", "libgomp.so",
        "libomp.so",      "libiomp5.so",    "libomptarget.",   "libstdc++.so",  "libc++.so",
        "libc++abi.so",   "libgcc_s.so",    "libunwind.so",    "libatomic.so",  "libasan.so",
        "libtsan.so",     "libubsan.so",    "liblsan.so",      "libclang_rt.",  "libjemalloc.so",
        "libtcmalloc",    "libmimalloc.so", "libcuda.so",      "libcudart.so",  "libnvidia-",
        "libamdhip64.so", "libhsa-runtime", "libze_loader.so", "libjvm.so"};
    return std::ranges::any_of(prefixes, [&](std::string_view each) { return name.starts_with(each); });
}

library_rules::library_rules()
    : library_rules(text_of(setting::private_libraries), text_of(setting::shared_libraries)) {}

library_rules::library_rules(std::string_view private_patterns, std::string_view shared_patterns)
    : private_(patterns_in(private_patterns)), shared_(patterns_in(shared_patterns)) {}

ownership library_rules::of(const std::string &name, const std::string &path) const {
    const std::string base{base_name(name)};
    if (is_one_for_all(base) || is_one_for_all(base_name(path))) {
        return ownership::shared;
    }
    if (matches(private_, base, path)) {
        return ownership::asked_for;
    }
    if (matches(shared_, base, path)) {
        return ownership::shared;
    }
    return is_system_library(path) ? ownership::of_system : ownership::ordinary;
}

} // namespace lisle::host
