// SPDX-License-Identifier: Apache-2.0
#include "communicator/type_attributes.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"

namespace lisle {

namespace {

struct type_attribute_table {
    std::mutex mutex; ///< protects `sets`, not what they hold
    std::unordered_map<const datatype *, std::unique_ptr<attribute_set>> sets;

    attribute_set *find(const datatype &type) {
        const std::scoped_lock lock{mutex};
        const auto found = sets.find(&type);
        return found != sets.end() ? found->second.get() : nullptr;
    }
};
const rank_local<type_attribute_table> table;

} // namespace

attribute_set &attributes_of(const datatype &type) {
    type_attribute_table &own = *table;
    const std::scoped_lock lock{own.mutex};
    auto &set = own.sets[&type];
    if (set == nullptr) {
        set = std::make_unique<attribute_set>();
    }
    return *set;
}

void copy_type_attributes(const datatype &from, const datatype &duplicate) {
    if (attribute_set *const originals = table->find(from)) {
        originals->copy_to(attributes_of(duplicate), datatype_handle(from), datatype_handle(duplicate));
    }
}

void delete_type_attributes(const datatype &type) {
    type_attribute_table &own = *table;
    if (attribute_set *const set = own.find(type)) {
        set->clear(datatype_handle(type));
        const std::scoped_lock lock{own.mutex};
        own.sets.erase(&type);
    }
}

} // namespace lisle
