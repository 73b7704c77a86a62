// SPDX-License-Identifier: Apache-2.0
// Of which libraries each rank gets a copy. A library that a shared one needs must be shared as well:
// otherwise the shared one would load yet another copy for itself.
#include "base/environment.hpp"
#include "base/text.hpp"
#include "launch/common/other_mpi.hpp"
#include "launch/common/rank_preload.hpp"
#include "launch/host/image/closure.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/stat.h>
#include <utility>

namespace lisle::host {

namespace {

/// A library, or the program, on the way to the decision.
struct candidate {
    std::string name; ///< by which it was asked for first
    std::string path; ///< empty: the loader has to find it
    ownership owner = ownership::ordinary;
    std::size_t parent = 0;
    std::unique_ptr<const program_file> file;               ///< null: what it needs does not matter
    std::vector<std::pair<std::string, std::size_t>> needs; ///< names and candidates
};

/// Files are the same if device and number are.
std::pair<dev_t, ino_t> identity_of(const std::string &path) {
    struct stat status {};
    stat(path.c_str(), &status);
    return {status.st_dev, status.st_ino};
}

class collector {
  public:
    collector(const std::string &program, const library_rules &rules, library_search &search)
        : rules_(rules), search_(search) {
        candidate &first = found_.emplace_back();
        first.file = std::make_unique<program_file>(program);
        first.path = program;
        add_preloaded();
        for (std::size_t i = 0; i != found_.size(); ++i) {
            if (found_[i].file != nullptr) {
                follow(i);
            }
        }
        for (std::size_t i = 0; i != found_.size(); ++i) {
            if (found_[i].owner == ownership::shared) {
                share_needs(i);
            }
        }
        decide_for_the_systems();
    }

    std::vector<candidate> &found() { return found_; }
    /// Which of them are preloaded.
    [[nodiscard]] const std::vector<std::size_t> &preloaded() const { return preloaded_; }

  private:
    /// What LD_PRELOAD named for ranks: before the program's own libraries, private whatever they are.
    void add_preloaded() {
        for (const std::string_view each : words_of(environment_text(launch::rank_preload_variable), ":")) {
            const std::string name{each};
            const std::size_t index = add(name, 0, {found_.front().file.get()});
            if (found_[index].file == nullptr) {
                throw refusal(
                    name +
                    " is preloaded (LD_PRELOAD) for each rank, but it is no library that can be copied; "
                    "name it with --shared-libraries, or run processes: --ranks process");
            }
            found_[index].owner = ownership::asked_for;
            preloaded_.push_back(index);
        }
    }

    void follow(std::size_t which) {
        std::vector<const program_file *> chain{found_[which].file.get()};
        for (std::size_t at = which; at != 0;) {
            at = found_[at].parent;
            chain.push_back(found_[at].file.get());
        }
        for (const std::string &name : std::vector(found_[which].file->tables().needed())) {
            std::size_t index = 0;
            if (const auto known = by_name_.find(name); known != by_name_.end()) {
                index = known->second;
            } else {
                index = add(name, which, chain);
                by_name_.emplace(name, index);
            }
            found_[which].needs.emplace_back(name, index);
        }
    }

    std::size_t add(const std::string &name, std::size_t parent,
                    const std::vector<const program_file *> &chain) {
        candidate made;
        made.name = name;
        made.parent = parent;
        made.owner = ownership::shared;
        if (!is_loaded(name)) {
            made.path = search_.find(name, chain);
        }
        if (launch::is_other_mpi(name) && !launch::is_face(made.path)) {
            throw refusal(chain.front()->path() + " is linked with " + name +
                          ", the library of another MPI of which Lisle has no counterpart; compile it with "
                          "Lisle's mpicc, "
                          "mpicxx or mpifort");
        }
        if (!made.path.empty()) {
            const auto [known, is_new] = by_file_.try_emplace(identity_of(made.path), found_.size());
            if (!is_new) {
                return known->second;
            }
            made.owner = rules_.of(name, made.path);
            read(made);
        }
        found_.push_back(std::move(made));
        return found_.size() - 1;
    }

    static void read(candidate &library) {
        try {
            library.file = std::make_unique<program_file>(library.path, role::library);
        } catch (const refusal &) {
            if (library.owner == ownership::of_system) {
                library.owner = ownership::shared; // as in a process, if the loader can load it
            } else if (library.owner != ownership::shared) {
                throw;
            } // a shared one is the loader's business
        }
    }

    // A library of the system that has nothing to keep apart is shared, which costs nothing, unless it refers
    // to a library that is private.
    void decide_for_the_systems() {
        const auto is_private = [&](const candidate &each) {
            return each.owner == ownership::ordinary || each.owner == ownership::asked_for;
        };
        for (candidate &each : found_) {
            if (each.owner == ownership::of_system && each.file->has_variables()) {
                each.owner = ownership::ordinary;
            }
        }
        for (bool changed = true; std::exchange(changed, false);) {
            for (candidate &each : found_) {
                const bool refers = std::ranges::any_of(
                    each.needs, [&](const auto &need) { return is_private(found_[need.second]); });
                if (each.owner == ownership::of_system && refers) {
                    each.owner = ownership::ordinary;
                    changed = true;
                }
            }
        }
        for (candidate &each : found_) {
            if (each.owner == ownership::of_system) {
                each.owner = ownership::shared;
            }
        }
    }

    void share_needs(std::size_t which) {
        for (const auto &[name, index] : found_[which].needs) {
            candidate &needed = found_[index];
            if (needed.owner == ownership::asked_for) {
                throw refusal(
                    needed.path + " is asked for as a private library (LISLE_PRIVATE_LIBRARIES), but " +
                    found_[which].path + ", which the ranks share, needs it: name that one as well");
            }
            if (needed.owner != ownership::shared) {
                needed.owner = ownership::shared;
                share_needs(index);
            }
        }
    }

    const library_rules &rules_;
    library_search &search_;
    std::vector<std::size_t> preloaded_;
    std::vector<candidate> found_; // in the order in which the loader meets them
    std::map<std::string, std::size_t> by_name_;
    std::map<std::pair<dev_t, ino_t>, std::size_t> by_file_;
};

/// Whether a library that is needed by one that a rank opens is to be copied for the rank.
bool is_private(const std::string &name, const std::string &path, const library_rules &rules,
                library_search &search) {
    const ownership owner = rules.of(name, path);
    if (owner != ownership::of_system) {
        return owner != ownership::shared;
    }
    try {
        const program_file file(path, role::library);
        const std::vector<const program_file *> chain{&file};
        return file.has_variables() ||
               std::ranges::any_of(file.tables().needed(), [&](const std::string &each) {
                   const std::string found = is_loaded(each) ? std::string() : search.find(each, chain);
                   return !found.empty() && is_private(each, found, rules, search);
               });
    } catch (const refusal &) {
        return false; // as in a process, if the loader can load it
    }
}

} // namespace

bool is_loaded(const std::string &name) {
    void *const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr) {
        dlclose(handle);
    }
    return handle != nullptr;
}

bool is_same_file(const std::string &one, const std::string &other) {
    return identity_of(one) == identity_of(other);
}

// The names of the copies that this one needs: its own, the program's, those to be opened before.
void closure::collect_for(const program_file &asker) {
    const library_rules rules;
    library_search search;
    module &made = modules_.front();
    const std::vector<const program_file *> chain{made.file.get(), &asker, &base_->program()};
    for (const std::string &name : made.file->tables().needed()) {
        const std::string path = is_loaded(name) ? std::string() : search.find(name, chain);
        const auto known = std::ranges::find_if(base_->modules(), [&](const module &each) {
            return !path.empty() && is_same_file(each.file->path(), path);
        });
        if (known != base_->modules().end()) {
            made.names.emplace(name, 1 + static_cast<std::size_t>(known - base_->modules().begin()));
        } else if (!path.empty() && is_private(name, path, rules, search)) {
            made.names.emplace(name, 1 + base_->modules().size() + to_be_opened_.size());
            to_be_opened_.push_back(path);
        } else {
            made.shared.push_back(path.empty() ? name : path);
            if (!path.empty() && !is_system_library(path)) {
                made.paths.emplace(name, path);
            }
        }
    }
}

void closure::collect(const std::string &program, const library_rules &rules, library_search &search) {
    collector all(program, rules, search);
    std::vector<candidate> &found = all.found();
    std::map<std::size_t, std::size_t> place; // candidate -> module
    for (std::size_t i = 0; i != found.size(); ++i) {
        loading_order_.push_back(found[i].name);
        if (found[i].owner != ownership::shared) {
            place.emplace(i, modules_.size());
            module &made = modules_.emplace_back();
            made.name = found[i].name;
            made.file = std::move(found[i].file);
        }
    }
    for (const std::size_t each : all.preloaded()) {
        preloaded_.push_back(place.at(each));
    }
    for (const auto &[from, to] : place) {
        module &made = modules_[to];
        for (const auto &[name, index] : found[from].needs) {
            if (const auto own = place.find(index); own != place.end()) {
                made.needed.push_back(own->second);
                made.names.emplace(name, own->second);
            } else {
                const std::string &path = found[index].path;
                made.shared.push_back(path.empty() ? name : path);
                if (!path.empty() && !is_system_library(path)) {
                    made.paths.emplace(name, path);
                }
            }
        }
    }
}

} // namespace lisle::host
