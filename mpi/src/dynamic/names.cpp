// SPDX-License-Identifier: Apache-2.0
// A file's lines are the port, the machine, the process that has published it and when that began, and the
// name. Read access to the folder permits connections, so only its user has it.
#include "dynamic/names.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/process_status.hpp"
#include "base/settings.hpp"
#include "mpi.h"

namespace lisle::dynamic {

namespace {

struct entry {
    std::string port;
    std::string machine;
    long process = 0;
    std::string begun;
    std::string service;
};

std::string machine_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

std::string folder() {
    const std::string &chosen = text_of(setting::names);
    const std::string path = chosen.empty() ? sentence("/tmp/lisle-names-", geteuid()) : chosen;
    constexpr mode_t own = 0700;
    struct stat found {};
    if (mkdir(path.c_str(), own) != 0 && errno != EEXIST) {
        fail(MPI_ERR_SERVICE, "cannot make the folder ", path,
             " for published names: ", std::strerror(errno));
    }
    if (lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
        (found.st_mode & 022U) != 0) {
        fail(MPI_ERR_SERVICE, path,
             " is no folder that only this user may write to: LISLE_NAMES names another");
    }
    return path;
}

std::string file_of(std::string_view service) {
    std::string path = folder() + "/name-";
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t longest = 100; // a file's name has at most 255 bytes
    std::uint64_t digest = 0xcbf29ce484222325U;
    for (const char each : service) {
        digest = (digest ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
    }
    for (const char each : service.substr(0, longest)) {
        path += digits[static_cast<unsigned char>(each) >> 4U];
        path += digits[static_cast<unsigned char>(each) & 15U];
    }
    return service.size() <= longest ? path : sentence(path, "-", digest);
}

std::optional<entry> read(const std::string &path) {
    std::ifstream file{path};
    entry found;
    std::string process;
    if (!std::getline(file, found.port) || !std::getline(file, found.machine) ||
        !std::getline(file, process) || !std::getline(file, found.begun)) {
        return std::nullopt;
    }
    found.process = std::strtol(process.c_str(), nullptr, 10);
    found.service.assign(std::istreambuf_iterator<char>{file}, {});
    return found;
}

/// False: the program that has published it has ended.
bool is_alive(const entry &one) {
    return one.machine != machine_name() || begin_of_process(static_cast<pid_t>(one.process)) == one.begun;
}

} // namespace

void publish(std::string_view service, std::string_view port) {
    const std::string path = file_of(service);
    const std::string prepared =
        sentence(path, ".", getpid(), ".", reinterpret_cast<std::uintptr_t>(&service));
    {
        std::ofstream file{prepared};
        file << port << '\n'
             << machine_name() << '\n'
             << getpid() << '\n'
             << begin_of_process(getpid()) << '\n'
             << service;
        if (!file.flush()) {
            fail(MPI_ERR_SERVICE, "cannot write ", prepared, " for a published name");
        }
    }
    bool is_there = link(prepared.c_str(), path.c_str()) == 0;
    int error = errno;
    if (const auto found = read(path); !is_there && error == EEXIST && (!found || !is_alive(*found))) {
        is_there =
            rename(prepared.c_str(), path.c_str()) == 0; // its program has ended without taking it back
        error = errno;
    }
    ::unlink(prepared.c_str());
    if (!is_there) {
        fail(MPI_ERR_SERVICE, "the service \"", service, "\" cannot be published: ",
             error == EEXIST ? "a program that runs has published it" : std::strerror(error));
    }
}

void unpublish(std::string_view service, std::string_view port) {
    const std::string path = file_of(service);
    const auto found = read(path);
    if (!found || found->service != service || found->port != port) {
        fail(MPI_ERR_SERVICE, "no service called \"", service, "\" is published for this port");
    }
    ::unlink(path.c_str());
}

std::string look_up(std::string_view service) {
    const auto found = read(file_of(service));
    if (!found || found->service != service || !is_alive(*found)) {
        fail(MPI_ERR_NAME, "no service called \"", service, "\" is published");
    }
    return found->port;
}

} // namespace lisle::dynamic
