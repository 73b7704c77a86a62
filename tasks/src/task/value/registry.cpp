// SPDX-License-Identifier: Apache-2.0
#include <lisle/task/kernel.hpp>

namespace lisle::tasks {

int registry::find(const std::string &name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? -1 : found->second;
}

std::shared_ptr<void> registry::instantiate(std::size_t kernel, const tile_place &where) const {
    return kernels_.at(kernel).make(where);
}

const box_type *registry::type(std::uint64_t id) const {
    const auto found = types_.find(id);
    return found == types_.end() ? nullptr : found->second;
}

std::uint64_t registry::hash() const noexcept {
    std::uint64_t hash = hash_of("");
    for (const auto &method : methods_) {
        hash = hash_of(method->signature(), hash_of(method->name(), hash));
    }
    return hash;
}

std::size_t registry::kernel_of(const std::string &method, const std::string &type, factory make) {
    const auto dot = method.find('.');
    if (dot == 0 || dot == std::string::npos || dot + 1 == method.size()) {
        throw std::invalid_argument{"registry::add: '" + method + "' is no name of the form kernel.method"};
    }
    const std::string name = method.substr(0, dot);
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
        if (kernels_[i].name == name && kernels_[i].type == type) {
            return i;
        }
        if (kernels_[i].name == name && type != "void" && kernels_[i].type != "void") {
            throw std::invalid_argument{"registry::add: kernel '" + name + "' is " + kernels_[i].type +
                                        " already, not " + type};
        }
    }
    kernels_.push_back({name, type, make});
    return kernels_.size() - 1;
}

void registry::enter(std::unique_ptr<method_entry> made) {
    if (!by_name_.emplace(made->name(), static_cast<int>(methods_.size())).second) {
        throw std::invalid_argument{"registry::add: '" + made->name() + "' is registered already"};
    }
    methods_.push_back(std::move(made));
}

} // namespace lisle::tasks
