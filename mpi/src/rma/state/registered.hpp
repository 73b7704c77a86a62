// SPDX-License-Identifier: Apache-2.0
// The windows of this process, by the engine of their rank and their context: how a packet, a failure or a
// neighbour finds the part of a window that it is about.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "base/spin_lock.hpp"

namespace lisle::protocol {
class engine;
}

namespace lisle::rma {

/// A data member of each part that others look for: the part is found while this exists. Declared last, so
/// that no part is found before it is whole. Thread-safe.
template <class Part> class registered {
  public:
    registered(Part &part, const protocol::engine &home, std::uint64_t context) : key_{&home, context} {
        const std::scoped_lock guard{all().mutex};
        all().parts.emplace(key_, &part);
    }
    registered(const registered &) = delete;
    registered &operator=(const registered &) = delete;
    ~registered() {
        const std::scoped_lock guard{all().mutex};
        all().parts.erase(key_);
    }

    /// Null: there is none.
    [[nodiscard]] static Part *find(const protocol::engine &home, std::uint64_t context) noexcept {
        const std::scoped_lock guard{all().mutex};
        const auto found = all().parts.find({&home, context});
        return found != all().parts.end() ? found->second : nullptr;
    }
    /// Calls `use` with each of those of the rank whose engine this is. It must not make or end windows.
    template <class Use> static void each_of(const protocol::engine &home, Use use) {
        const std::scoped_lock guard{all().mutex};
        for (const auto &[at, part] : all().parts) {
            if (at.home == &home) {
                use(*part);
            }
        }
    }

  private:
    struct key {
        const protocol::engine *home;
        std::uint64_t context;
        friend bool operator==(const key &, const key &) = default;
    };
    struct hash_of_key {
        std::size_t operator()(const key &of) const noexcept {
            return std::hash<const void *>{}(of.home) ^ std::hash<std::uint64_t>{}(of.context);
        }
    };
    struct table {
        spin_lock mutex; ///< protects `parts`; taken with the lock of an engine held
        std::unordered_map<key, Part *, hash_of_key> parts;
    };
    static table &all() {
        static auto *const made = new table; // ranks may still end while static objects are destroyed
        return *made;
    }

    const key key_;
};

} // namespace lisle::rma
