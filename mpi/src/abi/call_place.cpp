// SPDX-License-Identifier: Apache-2.0
#include "abi/call_place.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <unistd.h>
#include <unordered_map>
#include <unwind.h>
#include <utility>
#include <vector>

#include "abi/call_address.hpp"
#include "abi/known_stacks.hpp"
#include "abi/python_place.hpp"
#include "base/loaded_file.hpp"
#include "base/thread_owned.hpp"
#include "diagnosis/source_line.hpp"

namespace lisle::abi {

namespace {

constinit general_call *general_calls = nullptr;

/// Where this library begins in memory.
const void *library_base() {
    static const void *const base = begin_of_file(reinterpret_cast<const void *>(&current_call));
    return base;
}

/// Libraries between programs and this one, where they begin in memory: not places of the program.
class between {
  public:
    void add(const void *file) {
        const std::scoped_lock guard{mutex_};
        files_.push_back(file);
    }
    void remove(const void *file) {
        const std::scoped_lock guard{mutex_};
        std::erase(files_, file);
    }
    [[nodiscard]] bool has(const void *file) {
        const std::scoped_lock guard{mutex_};
        return std::ranges::find(files_, file) != files_.end();
    }
    static between &all() {
        static between one;
        return one;
    }

  private:
    std::mutex mutex_;
    std::vector<const void *> files_;
};

std::string_view look_up_name_of(const void *function) noexcept {
    if (const char *const general = general_call::find(function)) {
        return general;
    }
    Dl_info about{};
    if (dladdr(function, &about) == 0 || about.dli_sname == nullptr || about.dli_saddr != function) {
        return {};
    }
    const std::string_view name = about.dli_sname;
    return name.starts_with("PMPI") ? name.substr(1) : name.starts_with("MPI") ? name : std::string_view{};
}

/// The name of the entry point that a function of the library is; empty if it is none. It is remembered if
/// there is memory for it: the unwinder that asks lets no exception pass.
std::string_view name_of(const void *function) noexcept {
    using table = std::unordered_map<const void *, std::string_view>;
    static std::mutex mutex;
    // Never destroyed: threads of ranks may ask until the process has ended.
    alignas(table) static std::byte memory[sizeof(table)];
    static table &known = *new (memory) table;
    const std::scoped_lock guard{mutex};
    if (const auto found = known.find(function); found != known.end()) {
        return found->second;
    }
    const std::string_view name = look_up_name_of(function);
    try {
        known.emplace(function, name);
    } catch (const std::bad_alloc &) {
    }
    return name;
}

struct walk {
    std::string_view call;
    const void *site = nullptr;
    const void *file = nullptr; ///< where that of the site begins in memory
    call_chain offsets{};
    std::size_t found = 0;
    bool inside = false; ///< the frame that the walk begins in has been visited
    stack_way way;
    const void *latest_file = nullptr; ///< of those behind the site's own
    const python_interpreter *python = nullptr;
};

/// Looks for an interpreter behind the file that makes the call.
_Unwind_Reason_Code visit_outer_file(const void *within, const void *file, walk &found) {
    if (file != nullptr && file != std::exchange(found.latest_file, file)) {
        found.python = python_interpreter::in_file_of(within);
    }
    return found.python != nullptr ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// Goes up to the first frame outside the library; the one below it is the entry point. Then on through the
/// file that this frame lies in, for calls that a header has made for the program, and to its callers.
_Unwind_Reason_Code visit(_Unwind_Context *frame, void *data) {
    auto &found = *static_cast<walk *>(data);
    const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
    if (std::exchange(found.inside, true) && found.latest_file == nullptr) {
        found.way.add(static_cast<std::uintptr_t>(_Unwind_GetCFA(frame)), address);
    }
    const auto *const within = reinterpret_cast<const char *>(address) - 1; // of the call, not behind it
    const void *const file = begin_of_file(within);
    if (found.site == nullptr && file != nullptr && between::all().has(file)) {
        return _URC_NO_REASON;
    }
    if (found.site != nullptr || file == nullptr || file != library_base()) {
        if (found.site == nullptr) {
            found.site = within;
            found.file = file;
        } else if (file == nullptr || file != found.file || found.latest_file != nullptr) {
            return visit_outer_file(within, file, found);
        }
        if (found.found < found.offsets.size()) {
            found.offsets[found.found++] = address - 1 - reinterpret_cast<std::uintptr_t>(found.file);
        }
        return _URC_NO_REASON;
    }
    if (const auto name = name_of(_Unwind_FindEnclosingFunction(const_cast<char *>(within))); !name.empty()) {
        found.call = name;
    }
    return _URC_NO_REASON;
}

} // namespace

general_call::general_call(const char *name, const void *function) noexcept
    : name_{name}, function_{function}, next_{general_calls} {
    general_calls = this;
}

const char *general_call::find(const void *function) noexcept {
    for (const general_call *each = general_calls; each != nullptr; each = each->next_) {
        if (each->function_ == function) {
            return each->name_;
        }
    }
    return nullptr;
}

code_place place_of(const void *address) {
    Dl_info about{};
    if (dladdr(address, &about) == 0 || about.dli_fname == nullptr) {
        return {};
    }
    std::string file = about.dli_fname;
    constexpr std::string_view own = "/proc/self/";
    if (file.starts_with(own)) { // an image that has no name
        file = "/proc/" + std::to_string(getpid()) + "/" + file.substr(own.size());
    } else if (!file.empty() && file.front() != '/') { // as the program was started
        char name[4096];
        const ssize_t length = readlink("/proc/self/exe", name, sizeof name);
        const std::string_view path{name, length > 0 ? static_cast<std::size_t>(length) : 0};
        const auto base = [](std::string_view whole) { return whole.substr(whole.find_last_of('/') + 1); };
        file = base(path) == base(file) ? std::string{path} : file;
    }
    const auto offset = static_cast<const char *>(address) - static_cast<const char *>(about.dli_fbase);
    return {std::move(file), {static_cast<std::uint64_t>(offset)}};
}

namespace {

/// A call as its addresses tell.
struct known_call {
    call_address address;
    const python_interpreter *python =
        nullptr; ///< that has made it; null: the place is that of the addresses
};

/// True for a file that passes on what a Python program calls: mpi4py, libraries that have calls of MPI's
/// inside, the library for calls of C functions. An extension whose lines are known is a program.
bool passes_on_calls(const walk &found) noexcept {
    try {
        const code_place site = place_of(found.site);
        const std::string_view name = std::string_view{site.file}.substr(site.file.find_last_of('/') + 1);
        return name.starts_with("libffi") || site.file.find("/mpi4py/") != std::string::npos ||
               !leads_to_program(site.file, found.offsets);
    } catch (const std::bad_alloc &) {
        return false;
    }
}

/// One stack of C functions serves many a line of Python, so the place is asked for each time.
call_address with_words(const known_call &known) noexcept {
    call_address made = known.address;
    made.words = known.python != nullptr ? known.python->place() : nullptr;
    return made;
}

} // namespace

[[gnu::noinline]] call_address current_address() noexcept {
    auto *const known = thread_owned<known_stacks<known_call>>::own();
    const stack_start start{__builtin_frame_address(0), __builtin_return_address(0)};
    if (const known_call *const before = known != nullptr ? known->find(start) : nullptr) {
        return with_words(*before);
    }
    walk found;
    _Unwind_Backtrace(visit, &found);
    const known_call made{{found.call, found.site, found.offsets},
                          found.python != nullptr && passes_on_calls(found) ? found.python : nullptr};
    if (known != nullptr) {
        known->keep(start, found.way, made);
    }
    return with_words(made);
}

namespace {

struct walk_from_code {
    std::uintptr_t from;
    const void *file = nullptr; ///< null: the walk has not come there
    call_chain offsets{};
    std::size_t found = 0;
};

_Unwind_Reason_Code visit_from_code(_Unwind_Context *frame, void *data) {
    auto &walk = *static_cast<walk_from_code *>(data);
    const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
    const void *const file = begin_of_file(reinterpret_cast<const char *>(address) - 1);
    if (walk.file == nullptr && address == walk.from) {
        walk.file = file;
    }
    if (walk.file == nullptr) {
        return _URC_NO_REASON;
    }
    if (file != walk.file) {
        return _URC_END_OF_STACK;
    }
    walk.offsets[walk.found++] = address - 1 - reinterpret_cast<std::uintptr_t>(file);
    return walk.found == walk.offsets.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

} // namespace

code_place place_of_running(const void *returns_to) {
    code_place place = place_of(static_cast<const char *>(returns_to) - 1);
    walk_from_code walk{reinterpret_cast<std::uintptr_t>(returns_to)};
    _Unwind_Backtrace(visit_from_code, &walk);
    if (walk.found != 0) {
        place.offsets = walk.offsets;
    }
    return place;
}

call_place current_call() {
    return place_of(current_address());
}

call_place place_of(const call_address &found) {
    if (found.words != nullptr) {
        return {found.call, {found.words, {}}};
    }
    code_place site = found.site != nullptr ? place_of(found.site) : code_place{};
    site.offsets = found.offsets;
    return {found.call, std::move(site)};
}

} // namespace lisle::abi

void lisle_stands_between(const void *within, int loaded) {
    const void *const file = lisle::begin_of_file(within);
    loaded != 0 ? lisle::abi::between::all().add(file) : lisle::abi::between::all().remove(file);
}
