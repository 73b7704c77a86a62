// SPDX-License-Identifier: Apache-2.0
#include "world/other_jobs.hpp"

namespace lisle {

int other_jobs::find(const rank_name &name) const {
    const std::scoped_lock guard{adding_};
    const auto found = numbers_.find(name);
    return found != numbers_.end() ? found->second : -1;
}

bool other_jobs::has_context_part(std::uint64_t part) const {
    const std::scoped_lock guard{adding_};
    return context_parts_.contains(part);
}

int other_jobs::add(const rank_name &name, int process, int node) {
    const std::scoped_lock guard{adding_};
    const auto number_at = [&name](std::map<rank_name, int> &known, int place, int &unused) {
        const auto [found, is_new] = known.try_emplace(rank_name{name.job, place}, unused);
        unused += is_new ? 1 : 0;
        return found->second;
    };
    const int number = next();
    met_.push_back(
        {name, number_at(processes_, process, next_process_), number_at(nodes_, node, next_node_)});
    numbers_[name] = number;
    context_parts_.insert(context_part_of(name.job));
    return number;
}

void other_jobs::forget(int first, int count) {
    const std::scoped_lock guard{adding_};
    for (int number = first; number != first + count; ++number) {
        if (const auto found = numbers_.find(name_of(number));
            found != numbers_.end() && found->second == number) {
            numbers_.erase(found);
        }
    }
}

} // namespace lisle
