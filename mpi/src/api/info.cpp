// SPDX-License-Identifier: Apache-2.0
// From the info calls of MPI to info objects.
#include "api/info.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "communicator/predefined.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle::api {

namespace {

MPI_Info give_handle(std::unique_ptr<info> created) {
    return handle_of<MPI_Info>(*created.release());
}

/// What MPI_INFO_ENV says is a fact, not the program's to change.
void check_changeable(const info &target) {
    if (&target == &*environment) {
        fail(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
    }
}

/// Copies at most `most` characters and ends them with a null character.
void store(const std::string &text, std::size_t most, char *into) {
    const std::size_t length = std::min(text.size(), most);
    std::memcpy(into, text.data(), length);
    into[length] = '\0';
}

} // namespace

void info_create(MPI_Info *created) {
    *created = give_handle(std::make_unique<info>());
}

void info_create_env(int argc, char *argv[], MPI_Info *created) {
    auto described = std::make_unique<info>();
    std::vector<std::string> arguments;
    for (int i = 0; argv != nullptr && i < argc && argv[i] != nullptr; ++i) {
        arguments.emplace_back(argv[i]);
    }
    describe_environment(*described, arguments, this_rank().get_job().size());
    *created = give_handle(std::move(described));
}

void info_delete(info *target, const char *key) {
    check_changeable(*target);
    target->erase(key);
}

void info_dup(info *source, MPI_Info *newinfo) {
    *newinfo = give_handle(std::make_unique<info>(*source));
}

void info_free(MPI_Info *target) {
    const std::unique_ptr<info> freed{*target != MPI_INFO_ENV ? find_info(*target) : nullptr};
    if (freed == nullptr) {
        fail(MPI_ERR_INFO, *target == MPI_INFO_ENV ? "MPI_INFO_ENV cannot be freed"
                                                   : "the info object was freed already or never was one");
    }
    *target = MPI_INFO_NULL;
}

void info_get(info *source, const char *key, int valuelen, char *value, int *flag) {
    if (valuelen < 0) {
        fail(MPI_ERR_ARG, "valuelen is ", valuelen, "; it must not be negative");
    }
    const auto found = source->get(key);
    *flag = found ? 1 : 0;
    if (found) {
        store(*found, static_cast<std::size_t>(valuelen), value);
    }
}

void info_get_nkeys(info *source, int *nkeys) {
    *nkeys = source->size();
}

void info_get_nthkey(info *source, int n, char *key) {
    const std::string found = source->key(n);
    std::memcpy(key, found.c_str(), found.size() + 1);
}

void info_get_string(info *source, const char *key, int *buflen, char *value, int *flag) {
    if (*buflen < 0) {
        fail(MPI_ERR_ARG, "buflen is ", *buflen, "; it must not be negative");
    }
    const auto found = source->get(key);
    *flag = found ? 1 : 0;
    if (!found) {
        return;
    }
    if (*buflen > 0) {
        if (value == nullptr) {
            fail(MPI_ERR_ARG, "value is a null pointer, but buflen is ", *buflen);
        }
        store(*found, static_cast<std::size_t>(*buflen) - 1, value);
    }
    *buflen = static_cast<int>(found->size()) + 1;
}

void info_get_valuelen(info *source, const char *key, int *valuelen, int *flag) {
    const auto found = source->get(key);
    *flag = found ? 1 : 0;
    if (found) {
        *valuelen = static_cast<int>(found->size());
    }
}

void info_set(info *target, const char *key, const char *value) {
    check_changeable(*target);
    target->set(key, value);
}

} // namespace lisle::api
