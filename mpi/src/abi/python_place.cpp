// SPDX-License-Identifier: Apache-2.0
#include "abi/python_place.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <type_traits>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>

#include "base/owned_descriptor.hpp"
#include "base/symbol_in_file.hpp"

namespace lisle::abi {

namespace {

/// A text of static duration that is the same for the same words.
const char *kept(const std::string &words) {
    static std::mutex mutex;
    // Never destroyed: threads of ranks may ask until the process has ended.
    static auto &all = *new std::unordered_set<std::string>;
    const std::scoped_lock guard{mutex};
    return all.insert(words).first->c_str();
}

/// "halo.py:12 in exchange" of `  File "/home/me/halo.py", line 12 in exchange`; empty: of another line, or
/// of mpi4py's own functions.
std::string place_in(std::string_view line) {
    constexpr std::string_view before_file = "  File \"", before_line = "\", line ";
    const std::size_t end = line.rfind(before_line);
    if (!line.starts_with(before_file) || end == std::string_view::npos) {
        return {};
    }
    const std::string_view file = line.substr(before_file.size(), end - before_file.size());
    if (file.find("/mpi4py/") != std::string_view::npos) {
        return {};
    }
    constexpr std::size_t most = 120; // of "12 in exchange"
    return std::string{file.substr(file.find_last_of('/') + 1)} + ":" +
           std::string{line.substr(end + before_line.size(), most)};
}

/// The first of these lines that names a place of the program.
std::string innermost_place(std::string_view lines) {
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        if (std::string place = place_in(lines.substr(0, end)); !place.empty()) {
            return place;
        }
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    return {};
}

/// The lines that _Py_DumpTraceback writes of a thread, the innermost functions first. What a pipe has no
/// room for is lost.
template <class Dump> std::string dumped_lines(const Dump &dump) {
    std::string lines;
    if (int ends[2]; pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        const owned_descriptor reading{ends[0]}, writing{ends[1]};
        dump(writing.get());
        constexpr std::size_t most = 8192;
        lines.resize(most);
        const ssize_t length = read(reading.get(), lines.data(), most);
        lines.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    }
    return lines;
}

} // namespace

/// Where the members of Python's objects lie: 3.13 tells debuggers at the beginning of _PyRuntime.
enum class told_offset : std::size_t {
    cookie,
    version,
    current_frame = 23, ///< of a thread
    previous = 29,      ///< of a frame, as the next two
    executable,
    owner = 33,
    filename = 35, ///< of a code object, as the next one
    name,
    type = 45, ///< of any object
};

/// Python 3.13's frames, whose _Py_DumpTraceback others cannot call.
class frames_of_313 {
  public:
    void find_in(const link_map &file) noexcept {
        const auto find = [&file](auto &function, const char *name) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol_in_file(file, name));
            return function != nullptr;
        };
        constexpr std::string_view cookie = "xdebugpy";
        constexpr std::uint64_t known_version = 0x030d;
        const bool all = find(offsets_, "_PyRuntime") && find(code_type_, "PyCode_Type") &&
                         find(line_of_, "PyUnstable_InterpreterFrame_GetLine") &&
                         find(length_of_, "PyUnicode_GetLength") && find(letter_of_, "PyUnicode_ReadChar");
        are_known_ = all && std::memcmp(offsets_, cookie.data(), cookie.size()) == 0 &&
                     of(told_offset::version) >> 16 == known_version;
    }
    [[nodiscard]] bool are_known() const noexcept { return are_known_; }

    /// As dumped_lines().
    [[nodiscard]] std::string lines(const void *thread) const {
        std::string all;
        constexpr int most = 64;
        const char *frame = member<const char *>(thread, told_offset::current_frame);
        for (int depth = 0; frame != nullptr && depth < most; ++depth) {
            const void *const code = member<const void *>(frame, told_offset::executable);
            constexpr char of_c = 3; // between functions of C
            const bool is_python =
                member<char>(frame, told_offset::owner) != of_c && code != nullptr &&
                member<const void *>(code, told_offset::type) == static_cast<const void *>(code_type_);
            if (is_python) {
                all += "  File \"" + text_of(member<void *>(code, told_offset::filename)) + "\", line " +
                       std::to_string(line_of_(frame)) + " in " +
                       text_of(member<void *>(code, told_offset::name)) + "\n";
            }
            frame = member<const char *>(frame, told_offset::previous);
        }
        return all;
    }

  private:
    [[nodiscard]] std::uint64_t of(told_offset which) const noexcept {
        return offsets_[static_cast<std::size_t>(which)];
    }
    template <class Member>
    [[nodiscard]] Member member(const void *object, told_offset which) const noexcept {
        Member found;
        std::memcpy(&found, static_cast<const char *>(object) + of(which), sizeof found);
        return found;
    }
    /// Letters outside of ASCII are question marks: others would take memory of the interpreter's.
    [[nodiscard]] std::string text_of(void *words) const {
        std::string text;
        const ssize_t length = words != nullptr ? length_of_(words) : 0;
        for (ssize_t i = 0; i < length; ++i) {
            constexpr std::uint32_t ascii_end = 128;
            const std::uint32_t letter = letter_of_(words, i);
            text += letter < ascii_end ? static_cast<char>(letter) : '?';
        }
        return text;
    }

    const std::uint64_t *offsets_ = nullptr;
    const char *code_type_ = nullptr;
    int (*line_of_)(const void *frame) = nullptr;
    ssize_t (*length_of_)(void *words) = nullptr;
    std::uint32_t (*letter_of_)(void *words, ssize_t index) = nullptr;
    bool are_known_ = false;
};

/// Of one file. The next ones are null in files of other programs.
class python_interpreter::frames {
  public:
    explicit frames(const link_map &file) noexcept
        : state_of_thread_{reinterpret_cast<void *(*)()>(
              symbol_in_file(file, "PyGILState_GetThisThreadState"))},
          dump_{reinterpret_cast<void (*)(int, void *)>(symbol_in_file(file, "_Py_DumpTraceback"))} {
        newer_.find_in(file);
    }
    [[nodiscard]] bool are_known() const noexcept {
        return state_of_thread_ != nullptr && (dump_ != nullptr || newer_.are_known());
    }
    /// Empty: the thread runs no Python.
    [[nodiscard]] std::string lines() const {
        void *const thread = state_of_thread_();
        if (thread == nullptr) {
            return {};
        }
        return dump_ != nullptr ? dumped_lines([&](int descriptor) { dump_(descriptor, thread); })
                                : newer_.lines(thread);
    }

  private:
    void *(*state_of_thread_)();
    void (*dump_)(int descriptor, void *thread);
    frames_of_313 newer_;
};

const python_interpreter *python_interpreter::in_file_of(const void *address) noexcept {
    dl_find_object about{};
    if (_dl_find_object(const_cast<void *>(address), &about) != 0) {
        return nullptr;
    }
    try {
        static std::mutex mutex;
        static auto &known = *new std::unordered_map<const void *, python_interpreter>;
        const std::scoped_lock guard{mutex};
        const auto [place, is_new] = known.try_emplace(about.dlfo_map_start);
        python_interpreter &found = place->second;
        if (is_new) {
            const frames its{*about.dlfo_link_map};
            found.frames_ = its.are_known() ? new frames{its} : nullptr;
        }
        return found.frames_ != nullptr ? &found : nullptr;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

// The thread has most often released the interpreter's lock, and must not take it: another thread may hold it
// in a call that waits for this one. What its own frames stand on does not change meanwhile. The function
// that faulthandler uses in signal handlers reads them without lock, counts and memory, and writes to a
// descriptor.
const char *python_interpreter::place() const noexcept {
    const int error_before = errno;
    const char *found = nullptr;
    try {
        const std::string place = innermost_place(frames_->lines());
        found = place.empty() ? nullptr : kept(place);
    } catch (const std::bad_alloc &) {
        found = nullptr;
    }
    errno = error_before;
    return found;
}

} // namespace lisle::abi
