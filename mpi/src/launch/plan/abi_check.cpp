// SPDX-License-Identifier: Apache-2.0
// The system's loader is asked, which finds the program's libraries and theirs as it will when the program is
// started, and looks up all their names.
#include "launch/plan/abi_check.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "launch/common/descriptor.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/other_mpi.hpp"
#include "launch/plan/face_folders.hpp"
#include "launch/plan/linked_mpi.hpp"
#include "launch/plan/plan.hpp"

namespace lisle::launch {

namespace {

/// In the child: the loader lists what it loads and what it misses, and does not start the program.
[[noreturn]] void become_loader(const std::string &loader, const std::string &path,
                                const std::string &folders, int output) {
    const char *const others = std::getenv("LD_LIBRARY_PATH");
    const auto all =
        folders + (folders.empty() || others == nullptr ? "" : ":") + (others == nullptr ? "" : others);
    setenv("LD_LIBRARY_PATH", all.c_str(), 1);
    for (const char *const name : {"LD_TRACE_LOADED_OBJECTS", "LD_WARN", "LD_BIND_NOW"}) {
        setenv(name, "1", 1);
    }
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execl(loader.c_str(), loader.c_str(), path.c_str(), static_cast<char *>(nullptr));
    _exit(exit_not_executable);
}

std::string said_by_loader(const std::string &loader, const std::string &path, const std::string &folders) {
    auto ends = make_pipe();
    const pid_t child = fork();
    if (child == 0) {
        become_loader(loader, path, folders, ends.write.get());
    }
    if (child < 0) {
        give_up(1, "cannot start the loader ", loader, ": ", std::strerror(errno));
    }
    ends.write = descriptor{};
    std::string said;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = read(ends.read.get(), part.data(), part.size())) > 0;) {
        said.append(part.data(), static_cast<std::size_t>(got));
    }
    waitpid(child, nullptr, 0);
    return said;
}

bool is_mpi(std::string_view library) {
    return is_other_mpi(library) || library.starts_with("libmpi_abi.so");
}

/// What the loader's lines say of MPI, and what they miss.
struct findings {
    std::vector<std::string> libraries; ///< of MPI, with the file that is taken
    std::vector<std::string> foreign;   ///< the same, of another MPI that is installed here
    std::vector<std::string> missing;
};

void read_line(std::string_view line, findings &found) {
    constexpr std::string_view undefined = "undefined symbol: ", found_in = " => ";
    if (line.starts_with(undefined)) { // undefined symbol: NAME (FILE)
        const auto words = words_of(line.substr(undefined.size()), "\t()");
        found.missing.push_back(std::string{words.front()} + ", which " +
                                std::string{words.size() > 1 ? words.back() : "the program"} + " names");
        return;
    }
    const auto at = line.find(found_in); // LIBRARY => FILE (ADDRESS)
    if (at == std::string_view::npos) {
        return;
    }
    const auto library = words_of(line.substr(0, at), "\t ").front();
    const auto file = line.substr(at + found_in.size());
    if (file.starts_with("not found")) {
        found.missing.emplace_back(library);
    } else if (is_mpi(library)) {
        const auto taken = std::filesystem::path{file.substr(0, file.find(" ("))}.lexically_normal();
        const bool is_ours = !is_other_mpi(library) || is_face(taken.string());
        (is_ours ? found.libraries : found.foreign).push_back(std::string{library} + " is " + taken.string());
    }
}

} // namespace

int check_abi(const std::string &program, const std::string &abi) {
    const auto path = find_program(program, {});
    const auto loader = loader_of(path);
    if (loader.empty()) {
        give_up(exit_not_executable, path,
                " is no program that loads libraries: a script, or linked without shared libraries");
    }
    findings found;
    const auto said =
        said_by_loader(loader, path, is_linked_with_lisle(path) ? std::string{} : face_folders(abi));
    for (const auto line : words_of(said, "\n")) {
        read_line(line, found);
    }
    std::printf("%s %s\n", path.c_str(),
                found.libraries.empty() && found.foreign.empty()
                    ? "needs no library of an MPI (what it loads later is not seen here)"
                    : "and its libraries need of MPI:");
    for (const auto &library : found.libraries) {
        std::printf("  %s\n", library.c_str());
    }
    for (const auto &library : found.foreign) {
        std::printf("  another MPI's, with which lislerun starts nothing: %s\n", library.c_str());
    }
    for (const auto &name : found.missing) {
        std::printf("  not there: %s\n", name.c_str());
    }
    if (!found.missing.empty() || !found.foreign.empty()) {
        return 1;
    }
    std::printf("  all names that it and its libraries need are there\n");
    return 0;
}

} // namespace lisle::launch
