// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <pthread.h>

namespace lisle {

/// An object of each thread that asks for it, which ends with the thread. A thread_local object with a
/// destructor would end the process where there is no memory to register that destructor.
/// @param Value has a constructor without arguments that allocates nothing
template <class Value> class thread_owned {
  public:
    /// The calling thread's; null: there is no memory for it, or no key of the process is left.
    [[nodiscard]] static Value *own() noexcept {
        if (own_ == nullptr) [[unlikely]] {
            own_ = make();
        }
        return own_;
    }

  private:
    struct end_key {
        end_key() noexcept : exists{pthread_key_create(&number, &end) == 0} {}
        pthread_key_t number{};
        bool exists;
    };

    static void end(void *given) {
        own_ = nullptr;
        delete static_cast<Value *>(given);
    }
    static Value *make() noexcept {
        static const end_key key;
        auto *const made = key.exists ? new (std::nothrow) Value : nullptr;
        if (made != nullptr && pthread_setspecific(key.number, made) != 0) {
            delete made;
            return nullptr;
        }
        return made;
    }

    static constinit inline thread_local Value *own_ [[gnu::tls_model("initial-exec")]] = nullptr;
};

} // namespace lisle
