// SPDX-License-Identifier: Apache-2.0
#include "task/wire/keeper.hpp"

namespace lisle::tasks {

std::uint64_t keeper::keep(object &kept) {
    const std::scoped_lock guard{mutex_};
    const auto [number, is_new] = numbers_.try_emplace(&kept, last_ + 1);
    if (is_new) {
        kept_.emplace(++last_, kept_object{ref<object>{&kept}, 0});
    }
    ++kept_.at(number->second).references;
    return number->second;
}

ref<object> keeper::find(std::uint64_t id) const {
    const std::scoped_lock guard{mutex_};
    const auto found = kept_.find(id);
    return found == kept_.end() ? ref<object>{} : found->second.kept;
}

bool keeper::give_back(std::uint64_t id, std::uint64_t references) {
    ref<object> last; // destroyed without the lock
    const std::scoped_lock guard{mutex_};
    const auto found = kept_.find(id);
    if (found == kept_.end() || found->second.references < references) {
        return false;
    }
    found->second.references -= references;
    if (found->second.references == 0) {
        numbers_.erase(found->second.kept.get());
        last = std::move(found->second.kept);
        kept_.erase(found);
    }
    return true;
}

value keeper::stand_in(const object_address &at, object_kind what, std::uint64_t type, std::uint64_t size,
                       const object_address &origin) {
    const std::scoped_lock guard{mutex_};
    const auto known = of_others_.find({at.rank, at.id});
    if (known != of_others_.end() && known->second->retain_if_alive()) {
        ++known->second->references;
        return ref<remote_object>::adopt(known->second);
    }
    auto made = make<remote_object>(shared_from_this(), at, what, type, size, origin);
    of_others_.insert_or_assign({at.rank, at.id}, made.get());
    return made;
}

std::uint64_t keeper::objects_kept() const {
    const std::scoped_lock guard{mutex_};
    return kept_.size();
}

void keeper::disconnect() {
    links old;
    const std::scoped_lock guard{mutex_};
    std::swap(old, links_);
    kept_.clear();
    numbers_.clear();
}

void keeper::request(const ref<remote_object> &wanted) {
    std::function<void(const ref<remote_object> &)> ask;
    {
        const std::scoped_lock guard{mutex_};
        ask = links_.request;
    }
    if (ask) {
        ask(wanted);
    } else {
        wanted->arrive(make<failure>("the machine has ended before the object was fetched", place{}));
    }
}

void keeper::forget(remote_object &dying) noexcept {
    std::function<void(int, std::uint64_t, std::uint64_t)> tell;
    {
        const std::scoped_lock guard{mutex_};
        const auto known = of_others_.find({dying.owner, dying.id});
        if (known != of_others_.end() && known->second == &dying) {
            of_others_.erase(known);
        }
        tell = links_.release;
    }
    if (tell) {
        tell(dying.owner, dying.id, dying.references);
    }
}

} // namespace lisle::tasks
