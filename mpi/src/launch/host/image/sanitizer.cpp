// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/sanitizer.hpp"

#include "launch/host/image/closure.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace lisle::host {

namespace {

constexpr const char *preload_variable = "LD_PRELOAD";
/// Holds the user's own LD_PRELOAD over the second start.
constexpr const char *saved_variable = "LISLE_HOST_PRELOAD";

/// Runtimes that take the place of the C library's functions. Those of UBSan do not.
bool must_come_first(std::string_view library) {
    static constexpr std::array<std::string_view, 5> runtimes{"libasan.so", "libtsan.so", "liblsan.so",
                                                              "libclang_rt.asan", "libclang_rt.tsan"};
    return std::ranges::any_of(runtimes, [&](std::string_view each) { return library.starts_with(each); });
}

/// A runtime inside of a program is known by a function that it always exports: Lisle's library refers to
/// some.
struct runtime_inside {
    std::string_view function;
    std::string_view name;
    bool shared_exists; ///< the compiler offers it as a shared library, too
    bool in_threads;    ///< thread ranks can have one each
};
constexpr std::array<runtime_inside, 6> runtimes_inside{{
    {"__asan_unpoison_memory_region", "AddressSanitizer", true, false},
    {"__tsan_switch_to_fiber", "ThreadSanitizer", true, false},
    {"__msan_init", "MemorySanitizer", false, false},
    {"__hwasan_init", "HWAddressSanitizer", true, false},
    {"__lsan_register_root_region", "LeakSanitizer", false, false},
    {"__ubsan_handle_type_mismatch_v1", "UndefinedBehaviorSanitizer", true, true},
}};

bool defines(const program_file &program, std::string_view function) {
    return std::ranges::any_of(program.tables().symbols(), [&](const Elf64_Sym &each) {
        return each.st_shndx != SHN_UNDEF && program.tables().name_of(each) == function;
    });
}

void restore_environment() {
    const char *const saved = std::getenv(saved_variable);
    if (saved != nullptr) {
        if (*saved != '\0') {
            setenv(preload_variable, saved, 1);
        } else {
            unsetenv(preload_variable);
        }
        unsetenv(saved_variable);
    }
}

[[noreturn]] void start_again_with(const std::string &runtime, char **arguments) {
    const char *const own = std::getenv(preload_variable);
    const std::string before = own != nullptr ? own : "";
    setenv(saved_variable, before.c_str(), 1);
    setenv(preload_variable, (runtime + (before.empty() ? "" : ":") + before).c_str(), 1);
    execv("/proc/self/exe", arguments);
    throw refusal("starting the host again with " + runtime + " failed: " + std::strerror(errno));
}

} // namespace

void preload_sanitizer(const std::string &program, char **arguments) {
    std::optional<program_file> file;
    try {
        file.emplace(program);
    } catch (const refusal &) {
        return; // said later, when it is known what the ranks are
    }
    const std::array<const program_file *, 1> chain{&*file};
    for (const std::string &library : file->tables().needed()) {
        if (!must_come_first(library) || is_loaded(library)) {
            continue;
        }
        if (std::getenv(saved_variable) != nullptr) {
            refuse_threads(program, "its sanitizer's runtime " + library + " could not be preloaded");
        }
        const std::string path = library_search().find(library, chain); // clang's lie in a folder of its own
        start_again_with(path.empty() ? library : path, arguments);
    }
    restore_environment();
}

void check_for_sanitizer_inside(const program_file &program, bool as_fibers) {
    for (const runtime_inside &each : runtimes_inside) {
        if ((each.in_threads && !as_fibers) || !defines(program, each.function)) {
            continue;
        }
        const std::string reason =
            "it holds the runtime of " + std::string(each.name) +
            ", which each rank would bring along, and " +
            (each.in_threads ? "the fibers of a thread would share what it keeps by thread"
                             : "a process has room for one");
        refuse_threads(program.path(),
                       reason + (each.shared_exists ? "; link it with the runtime as a shared library "
                                                      "(-shared-libsan with clang, GCC's default)"
                                                    : ""));
    }
}

} // namespace lisle::host
