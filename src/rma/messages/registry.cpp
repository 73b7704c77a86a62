// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/registry.hpp"

#include <mutex>
#include <unordered_map>

#include "base/spin_lock.hpp"
#include "rma/window.hpp"

namespace lisle::rma {

namespace {

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
key key_of(const window &of) noexcept {
    return {&of.home(), of.comm().context()};
}

struct table {
    spin_lock mutex; ///< protects `windows`; taken with the lock of an engine held
    std::unordered_map<key, window *, hash_of_key> windows;
};
table &all() {
    static auto *const made = new table; // ranks may still end while static objects are destroyed
    return *made;
}

} // namespace

void registry::add(window &made) {
    const std::scoped_lock guard{all().mutex};
    all().windows.emplace(key_of(made), &made);
}

void registry::remove(window &ended) noexcept {
    const std::scoped_lock guard{all().mutex};
    all().windows.erase(key_of(ended));
}

window *registry::find(const protocol::engine &home, std::uint64_t context) noexcept {
    const std::scoped_lock guard{all().mutex};
    const auto found = all().windows.find({&home, context});
    return found != all().windows.end() ? found->second : nullptr;
}

std::vector<window *> registry::of(const protocol::engine &home) {
    std::vector<window *> found;
    const std::scoped_lock guard{all().mutex};
    for (const auto &[at, each] : all().windows) {
        if (at.home == &home) {
            found.push_back(each);
        }
    }
    return found;
}

} // namespace lisle::rma
