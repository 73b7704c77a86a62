// SPDX-License-Identifier: Apache-2.0
// dlopen for ranks: found as the loader would for the program's code, with copies for each rank
// (opened_libraries.hpp). What all ranks share is opened by the loader itself, and so is what libraries open
// that the ranks share. dlsym needs nothing here: the loader knows which copy asks.
#include "launch/host/image/library_rules.hpp"
#include "launch/host/image/library_search.hpp"
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/rank/refusal.hpp"

#include <cstring>
#include <dlfcn.h>
#include <utility>

namespace lisle::host {

namespace {

const real<"dlerror", char *()> real_error;

struct loading_errors {
    /// What dlerror is to say of the last dlopen, if that failed. Only the thread that failed asks.
    std::string refusal;
    std::string told; ///< what it said last
};
const rank_slot<loading_errors> rank_loading_errors;

/// The file of the rank whose code is at this address, or null.
const program_file *file_at(const hosted_rank &rank, const void *address) {
    const image &own = image_of(rank);
    for (std::size_t i = 0; i != own.modules().size(); ++i) {
        if (own.modules()[i].contains(address)) {
            return own.unit().modules()[i].file.get();
        }
    }
    return rank_code.of(rank).opened.owner_of(address);
}

/// The loader's name of the rank's copy of this file, if the rank has had one from its start.
const std::string *copy_of(const hosted_rank &rank, const std::string &path) {
    const image &own = image_of(rank);
    for (std::size_t i = 0; i != own.modules().size(); ++i) {
        if (is_same_file(own.unit().modules()[i].file->path(), path)) {
            return &own.modules()[i].name;
        }
    }
    return nullptr;
}

void *open_for(hosted_rank &rank, const char *name, int flags, const program_file &asker) {
    const int local = flags & ~RTLD_GLOBAL; // names become visible to this rank only
    if (name == nullptr || *name == '\0') {
        return real_dlopen(image_of(rank).modules().front().name.c_str(), local);
    }
    library_search search;
    const std::vector<const program_file *> chain{&asker, &image_of(rank).unit().program()};
    // By a path the loader would find the first rank's copy.
    const bool for_all = std::strchr(name, '/') == nullptr && is_loaded(name);
    const std::string path = for_all ? std::string() : search.find(name, chain);
    if (path.empty()) {
        return real_dlopen(name, flags); // one for all, or the loader says what is wrong
    }
    if (const std::string *const copy = copy_of(rank, path)) {
        return real_dlopen(copy->c_str(), local);
    }
    if (library_rules().of(name, path) == ownership::shared) {
        return real_dlopen(path.c_str(), flags);
    }
    try {
        return rank_code.of(rank).opened.open(rank, path, flags, asker);
    } catch (const refusal &reason) {
        rank_loading_errors.of(rank).refusal = reason.what();
        return nullptr;
    }
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

void *dlopen(const char *name, int flags) {
    hosted_rank *const rank = lisle::host::this_rank();
    const program_file *const asker =
        rank != nullptr ? file_at(*rank, __builtin_extract_return_addr(__builtin_return_address(0)))
                        : nullptr;
    if (asker == nullptr) {
        return real_dlopen(name, flags);
    }
    void *const opened = open_for(*rank, name, flags, *asker);
    if (std::string &reason = rank_loading_errors.of(*rank).refusal; opened == nullptr && reason.empty()) {
        // The C library keeps it for the thread, which another fiber may use before this one asks.
        const char *const said = real_error();
        reason = said != nullptr ? said : "";
    }
    return opened;
}

int dlclose(void *handle) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank != nullptr && rank_code.of(*rank).opened.close(handle) ? 0 : real_dlclose(handle);
}

char *dlerror() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr || rank_loading_errors.of(*rank).refusal.empty()) {
        return real_error();
    }
    static_cast<void>(real_error()); // of the attempt
    loading_errors &own = rank_loading_errors.of(*rank);
    own.told = std::exchange(own.refusal, {});
    return own.told.data();
}

} // extern "C"
