// SPDX-License-Identifier: Apache-2.0
// The way into a program: the stack that the kernel would have prepared, then the program's own start code,
// which calls __libc_start_main with the address of main. That function is supplied here, so main runs on
// the rank's thread and nothing that belongs to the process is done a second time.
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/life/life.hpp"
#include "launch/host/rank/real.hpp"

#include <alloca.h>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using main_function = int (*)(int, char **, char **);
using init_function = void (*)(int, char **, char **);
using plain_function = void (*)();
using start_function = int(main_function, int, char **, init_function, plain_function, plain_function,
                           void *);

namespace {
const lisle::host::real<"__libc_start_main", start_function> real_start;
}

extern "C" int __libc_start_main(main_function main, int argc, char **argv, init_function init,
                                 plain_function fini, plain_function loader_fini, void *stack_end) {
    using namespace lisle::host;
    hosted_rank *const rank = this_rank();
    if (rank == nullptr) { // the host itself starts
        return real_start(main, argc, argv, init, fini, loader_fini, stack_end);
    }
    char **const environment = argv + argc + 1;
    const image &code = image_of(*rank);
    if (init == nullptr) {
        code.construct_first(argc, argv, environment);
    }
    code.construct_libraries(argc, argv, environment);
    // Where a process's loader registers its own end: what was registered so far runs after it.
    rank_life.of(*rank).exits.push([rank](int) {
        rank_code.of(*rank).opened.destruct();
        image_of(*rank).destruct();
    });
    if (init != nullptr) { // programs linked with a C library before 2.34 bring the loop over constructors
        init(argc, argv, environment);
    } else {
        code.construct_program(argc, argv, environment);
    }
    exit(main(argc, argv, environment));
}

namespace lisle::host {

namespace {

std::vector<std::uint64_t> read_auxiliary_vector() {
    std::vector<std::uint64_t> values;
    const int file = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
    for (std::uint64_t pair[2];
         file >= 0 && read(file, pair, sizeof pair) == sizeof pair && pair[0] != AT_NULL;) {
        values.insert(values.end(), {pair[0], pair[1]});
    }
    close(file);
    return values;
}

/// Of the process. It is read before there are ranks and never destroyed: some may begin while the process
/// ends.
const std::vector<std::uint64_t> &own_auxiliary_vector = *new std::vector{read_auxiliary_vector()};

/// The same with the program's own values where they differ.
std::vector<std::uint64_t> auxiliary_vector(const image &code) {
    const program_file &program = code.unit().program();
    std::vector<std::uint64_t> values = own_auxiliary_vector;
    for (std::size_t i = 0; i != values.size(); i += 2) {
        switch (values[i]) {
        case AT_PHDR:
            values[i + 1] = reinterpret_cast<std::uint64_t>(code.base()) + program.header().e_phoff;
            break;
        case AT_PHNUM:
            values[i + 1] = program.program_headers().size();
            break;
        case AT_ENTRY:
            values[i + 1] = reinterpret_cast<std::uint64_t>(code.base()) + program.entry();
            break;
        case AT_EXECFN:
            values[i + 1] = reinterpret_cast<std::uint64_t>(program.path().c_str());
            break;
        default:
            break;
        }
    }
    values.insert(values.end(), {AT_NULL, 0});
    return values;
}

/// argc, argv, the environment and the auxiliary vector. The strings of argv are the rank's own, since
/// programs write to them; those of the environment are shared until the rank sets a variable.
std::vector<std::uint64_t> initial_stack(const hosted_rank &rank) {
    std::vector<std::uint64_t> words{rank.arguments.size()};
    const auto push = [&words](const char *text) { words.push_back(reinterpret_cast<std::uint64_t>(text)); };
    for (const std::string &each : rank.arguments) {
        push(each.data());
    }
    push(nullptr);
    for (char **each = rank.variables.array(); *each != nullptr; ++each) {
        push(*each);
    }
    push(nullptr);
    const std::vector<std::uint64_t> auxiliary = auxiliary_vector(image_of(rank));
    words.insert(words.end(), auxiliary.begin(), auxiliary.end());
    return words;
}

} // namespace

void enter_program(const hosted_rank &rank) {
    void *stack = nullptr;
    {
        const std::vector<std::uint64_t> words = initial_stack(rank);
        const std::size_t bytes = words.size() * sizeof(std::uint64_t);
        stack = alloca(bytes + 16); // the frames of start code and main follow below it
        stack =
            reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(stack) + 15) & ~std::uintptr_t{15});
        std::memcpy(stack, words.data(), bytes);
    }
    const image &code = image_of(rank);
    architecture::enter(code.base() + code.unit().program().entry(), stack);
}

} // namespace lisle::host
