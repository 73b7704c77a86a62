// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/opened_libraries.hpp"

#include "launch/host/image/loaded_code.hpp"
#include "launch/host/image/private_object.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <ranges>
#include <sys/stat.h>
#include <tuple>

namespace lisle::host {

namespace {

/// What is written for each rank that opens a library, made once for all.
struct unit {
    unit(const std::string &path, const closure &base, const program_file &asker)
        : content(path, base, asker) {
        content.prepare();
        references.emplace(content);
    }
    closure content;
    std::optional<private_references> references;
};

/// Protects the units, and lets ranks load one after the other.
std::recursive_mutex loading;

const unit &unit_of(const std::string &path, const closure &base, const program_file &asker) {
    // A file that has been replaced or rewritten is another one.
    using identity = std::tuple<dev_t, ino_t, time_t, long, off_t>;
    static std::map<identity, std::unique_ptr<unit>> known;
    struct stat status {};
    stat(path.c_str(), &status);
    auto &found = known[identity{status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                                 status.st_size}];
    if (found == nullptr) {
        found = std::make_unique<unit>(path, base, asker);
    }
    return *found;
}

} // namespace

opened_libraries::entry *opened_libraries::find(const std::string &path) {
    const auto found = std::ranges::find_if(entries_, [&](const auto &each) {
        return !each->ending && is_same_file(each->code->unit().program().path(), path);
    });
    return found != entries_.end() ? found->get() : nullptr;
}

opened_libraries::entry &opened_libraries::load(hosted_rank &rank, const std::string &path, int flags,
                                                const program_file &asker, std::vector<entry *> &fresh) {
    const image &program = image_of(rank);
    const unit &what = unit_of(path, program.unit(), asker);
    std::vector<std::string> others;
    for (const loaded_module &each : program.modules()) {
        others.push_back(each.name);
    }
    std::vector<std::string> visible = others;
    for (const auto &each : entries_) {
        if (each->global) {
            visible.push_back(each->code->modules().front().name);
        }
    }
    auto made = std::make_unique<entry>();
    for (const std::string &each : what.content.to_be_opened()) {
        entry *needed = find(each);
        if (needed == nullptr) {
            needed = &load(rank, each, flags, what.content.program(), fresh);
        }
        ++needed->uses;
        made->needs.push_back(needed);
        others.push_back(needed->code->modules().front().name);
    }
    made->code = std::make_unique<image>(what.content, others, visible, flags);
    made->handle = real_dlopen(made->code->modules().front().name.c_str(), flags);
    what.references->bind(rank, *made->code);
    fresh.push_back(made.get());
    return *entries_.emplace_back(std::move(made));
}

void *opened_libraries::open(hosted_rank &rank, const std::string &path, int flags,
                             const program_file &asker) {
    const int binding = (flags & RTLD_NOW) != 0 ? RTLD_NOW : RTLD_LAZY;
    std::vector<entry *> fresh;
    entry *found = nullptr;
    {
        const std::scoped_lock lock(loading, mutex_);
        found = find(path);
        if (found == nullptr && (flags & RTLD_NOLOAD) != 0) {
            return nullptr;
        }
        if (arguments_.empty()) {
            for (std::string &word : rank.arguments) {
                arguments_.push_back(word.data());
            }
            arguments_.push_back(nullptr);
        }
        if (found == nullptr) {
            found = &load(rank, path, binding, asker, fresh);
        }
        ++found->uses;
        found->global |= (flags & RTLD_GLOBAL) != 0;
        found->lasting |= found->global || (flags & RTLD_NODELETE) != 0;
    }
    if (!fresh.empty()) {
        show_images_to_debugger();
    }
    for (const entry *each : fresh) { // what is needed comes first
        each->code->construct_program(static_cast<int>(arguments_.size()) - 1, arguments_.data(),
                                      rank.variables.array());
    }
    return found->handle;
}

bool opened_libraries::close(void *handle) {
    entry *closed = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        const auto found =
            std::ranges::find_if(entries_, [=](const auto &each) { return each->handle == handle; });
        closed = found != entries_.end() ? found->get() : nullptr;
    }
    if (closed != nullptr) {
        drop(*closed);
    }
    return closed != nullptr;
}

/// One use less; after the last one it ends, and then what it needs.
void opened_libraries::drop(entry &which) {
    {
        const std::scoped_lock lock(mutex_);
        if (which.uses == 0 || --which.uses != 0 || which.lasting) {
            return;
        }
        which.ending = true;
    }
    which.code->destruct(); // it is still the rank's, so its handlers are found
    for (entry *const each : which.needs) {
        drop(*each);
    }
    const std::scoped_lock lock(loading, mutex_);
    real_dlclose(which.handle);
    real_dlclose(which.code->handle());
    std::erase_if(entries_, [&](const auto &each) { return each.get() == &which; });
}

const program_file *opened_libraries::owner_of(const void *address) const {
    const std::scoped_lock lock(mutex_);
    for (const auto &each : entries_) {
        if (each->code->contains(address)) {
            return &each->code->unit().program();
        }
    }
    return nullptr;
}

bool opened_libraries::may_contain(const void *address) const {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return !lock.owns_lock() || owner_of(address) != nullptr;
}

void opened_libraries::destruct() {
    std::vector<const image *> all;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto &each : entries_) {
            if (!each->ending) {
                all.push_back(each->code.get());
            }
        }
    }
    for (const image *const each : std::views::reverse(all)) {
        each->destruct();
    }
}

} // namespace lisle::host
