// SPDX-License-Identifier: Apache-2.0
#include "task/coupling/fields.hpp"

#include <iterator>
#include <stdexcept>
#include <utility>

namespace lisle::couple::detail {

std::int32_t fields::number_of(const std::string &name) noexcept {
    std::uint32_t hash = 2166136261U;
    for (const char letter : name) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    }
    return static_cast<std::int32_t>(hash & 0x7fffffffU);
}

void fields::post(const std::string &name, const shape &what, ticks time, std::vector<std::byte> bytes) {
    field &mine = fields_[number_of(name)];
    if (!mine.values.empty() && !(mine.what == what)) {
        throw std::logic_error{"couple::post: '" + name + "' of '" + model_ +
                               "' has changed its type or its shape"};
    }
    if (!mine.values.empty() && mine.values.rbegin()->first >= time) {
        throw std::logic_error{"couple::post: '" + name + "' of '" + model_ + "' has values of time " +
                               std::to_string(mine.values.rbegin()->first) + " already, at time " +
                               std::to_string(time)};
    }
    mine.what = what;
    mine.values.emplace(time, std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
}

std::optional<fields::reply> fields::answer(const control &asked, ticks now) const {
    const bool has_finished = now == end_of_time;
    reply made;
    made.head.field = asked.field;
    const auto found = fields_.find(asked.field);
    if (found == fields_.end()) {
        made.head.is_missing = 1;
        return has_finished ? std::optional{made} : std::nullopt;
    }
    const field &mine = found->second;
    const auto rule = static_cast<between>(asked.rule);
    const auto after = mine.values.lower_bound(asked.time); // at that time or later
    const bool latest_is_known = now >= asked.time && rule == between::latest;
    if (after == mine.values.end() && !latest_is_known && !has_finished) {
        return std::nullopt;
    }
    auto before = after;
    if (after == mine.values.end() || (after->first != asked.time && after != mine.values.begin())) {
        before = std::prev(after);
    }
    made.head.extents = mine.what.extents;
    made.head.element = mine.what.element;
    made.head.kind = static_cast<std::uint32_t>(mine.what.kind);
    made.head.bytes = before->second->size();
    made.parts.push_back(before->second);
    if (rule == between::linear && after != mine.values.end() && before != after) {
        made.head.has_after = 1;
        made.head.weight = static_cast<double>(asked.time - before->first) /
                           static_cast<double>(after->first - before->first);
        made.parts.push_back(after->second);
    }
    return made;
}

void fields::forget_before(ticks slowest) {
    for (auto &[number, each] : fields_) {
        const auto later = each.values.upper_bound(slowest);
        if (later != each.values.begin()) {
            each.values.erase(each.values.begin(), std::prev(later));
        }
    }
}

} // namespace lisle::couple::detail
