// SPDX-License-Identifier: Apache-2.0
#include "execution/observed_memory.hpp"

#include "base/checks.hpp"

namespace lisle {

namespace {

/// The views of all programs of the process.
struct view_list {
    std::mutex mutex; ///< protects `first` and what it leads to
    access_view *first = nullptr;
};
view_list &views() {
    static auto *const made = new view_list; // programs end after static objects
    return *made;
}

} // namespace

observed_memory::observed_memory() : ranges_{access_filter::most_ranges} {
    filter_.owner = &this_rank();
}

observed_memory::~observed_memory() {
    const std::scoped_lock guard{views().mutex};
    for (access_view *each = views().first; each != nullptr; each = each->next) {
        if (each->owner == filter_.owner) {
            each->filter.store(nullptr, std::memory_order_relaxed);
        }
    }
}

rank &observed_memory::owner_of(const access_filter &filter) noexcept {
    return *static_cast<const owned_filter &>(filter).owner;
}

void observed_memory::listen() {
    if (!checks(check_level::all)) {
        return;
    }
    const std::scoped_lock guard{views().mutex};
    for (access_view *each = views().first; each != nullptr; each = each->next) {
        if (each->owner == nullptr || each->owner == filter_.owner) {
            each->owner = filter_.owner;
            each->filter.store(&filter_, std::memory_order_relaxed);
            told_.store(true, std::memory_order_relaxed);
        }
    }
}

void observed_memory::add(std::span<const access_filter::range> added) {
    const std::scoped_lock guard{mutex_};
    for (const auto &each : added) {
        ranges_.add(each);
    }
    publish_locked();
}

void observed_memory::remove(std::span<const access_filter::range> removed) {
    const std::scoped_lock guard{mutex_};
    for (const auto &each : removed) {
        ranges_.remove(each);
    }
    publish_locked();
}

void observed_memory::publish_locked() {
    filter_.set(ranges_.few().data(), ranges_.few().size());
}

} // namespace lisle

void lisle_watch_accesses(lisle::access_view *view, int begins) noexcept {
    auto &all = lisle::views();
    const std::scoped_lock guard{all.mutex};
    if (begins != 0) {
        view->owner = lisle::rank_at_once();
        view->next = all.first;
        all.first = view;
        return;
    }
    for (lisle::access_view **at = &all.first; *at != nullptr; at = &(*at)->next) {
        if (*at == view) {
            *at = view->next;
            return;
        }
    }
}
