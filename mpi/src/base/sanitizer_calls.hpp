// SPDX-License-Identifier: Apache-2.0
// Functions of the sanitizers' runtimes. Lisle is built without: they are there if the program was built with
// one, or else null. All are harmless to call from code that is not instrumented.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void **save, const void *bottom, std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void *saved, const void **bottom, std::size_t *bytes);
[[gnu::weak]] void __sanitizer_set_report_fd(void *descriptor);
[[gnu::weak]] void __sanitizer_set_death_callback(void (*called)());
[[gnu::weak]] void __asan_set_error_report_callback(void (*called)(const char *report));
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void *begin, std::size_t bytes);
[[gnu::weak]] void __lsan_register_root_region(const void *begin, std::size_t bytes);
[[gnu::weak]] void __lsan_do_leak_check();
[[gnu::weak]] void *__tsan_get_current_fiber();
[[gnu::weak]] void *__tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void *fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void *fiber, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void *place);
[[gnu::weak]] void __tsan_release(void *place);
// NOLINTBEGIN(readability-identifier-naming): the runtime's own names
[[gnu::weak]] void AnnotateIgnoreSyncBegin(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreSyncEnd(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsBegin(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char *file, int line);
// NOLINTEND(readability-identifier-naming)
}

namespace lisle {

/// Whether AddressSanitizer, ThreadSanitizer or LeakSanitizer runs in this process.
inline const bool under_sanitizer = __sanitizer_start_switch_fiber != nullptr ||
                                    __tsan_switch_to_fiber != nullptr ||
                                    __lsan_register_root_region != nullptr;

/// While one of these lives, locks that the calling thread takes order nothing for ThreadSanitizer, and what
/// they guard is not looked at: locks of Lisle's own must not hide races of the program. (Of code that was
/// not built with ThreadSanitizer it sees what that allocates and copies.)
class locks_unseen {
  public:
    locks_unseen() noexcept {
        if (AnnotateIgnoreSyncBegin != nullptr) {
            AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
            AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
            AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
        }
    }
    ~locks_unseen() {
        if (AnnotateIgnoreSyncBegin != nullptr) {
            AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
            AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
            AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
        }
    }
    locks_unseen(const locks_unseen &) = delete;
    locks_unseen &operator=(const locks_unseen &) = delete;
};

} // namespace lisle
