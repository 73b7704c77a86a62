// SPDX-License-Identifier: Apache-2.0
// The program together with its own shared libraries: everything of which each rank gets a copy, in the order
// in which the loader looks names up. Decides what is private, where thread-local variables lie, and what has
// to be edited so that names mean in the copies what they mean in a process.
#pragma once

#include "launch/host/image/anonymous_file.hpp"
#include "launch/host/image/edited_copy.hpp"
#include "launch/host/image/library_rules.hpp"
#include "launch/host/image/library_search.hpp"
#include "launch/host/image/program_file.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lisle::host {

/// Where a thread-local relocation of a module points to, from the thread pointer.
struct thread_local_binding {
    relocation kind;
    std::size_t address;
    std::int64_t position;
    bool lone_module; ///< see architecture::bind_thread_local
};

/// A library's variable that the program holds itself: its initial value is copied from the library's.
struct held_variable {
    std::size_t address; ///< in the program
    std::size_t size;
    std::size_t module;          ///< of the original, if it is in one of the program's own libraries
    std::size_t place;           ///< the original's address in that
    const void *shared_original; ///< of another library, else null
};

/// One file of which ranks have copies.
struct module {
    std::string name; ///< by which it is needed
    std::unique_ptr<const program_file> file;
    std::vector<std::size_t> needed; ///< private libraries that it names, as indices, in order
    std::vector<std::string> shared; ///< names of the others
    std::map<std::string, std::string, std::less<>> paths; ///< where those lie that the loader might miss
    std::map<std::string, std::size_t, std::less<>> names; ///< names of private libraries in this file
    std::ptrdiff_t position = 0;          ///< of its thread-local variables, from the thread pointer
    bool thread_locals_by_loader = false; ///< instead
    std::vector<thread_local_binding> thread_locals;
    // After prepare():
    std::optional<edited_copy> copy;
    std::optional<anonymous_file> constants; ///< one file with what is equal in all copies and never written
};

class closure {
  public:
    /// Reads the program and finds its own libraries. Throws `refusal` if one of them cannot be copied.
    /// `as_fibers`: ranks share threads, so thread-local variables of libraries are placed by the loader
    /// where it can, which then has a set of them for each copy.
    explicit closure(const std::string &program, const library_rules &rules = {}, library_search search = {},
                     bool as_fibers = false);

    /// The closure of a library that ranks of the program `base` open while they run: this one file. What it
    /// needs is shared, or a copy that the rank has already, or is to be opened before. `asker`: the file
    /// whose code opens it, which says where to look.
    closure(const std::string &library, const closure &base, const program_file &asker);

    [[nodiscard]] const program_file &program() const noexcept { return *modules_.front().file; }
    /// The program first, then its libraries as the loader meets them.
    [[nodiscard]] const std::vector<module> &modules() const noexcept { return modules_; }
    /// Indices of the libraries in which names are looked up before the program (LD_PRELOAD).
    [[nodiscard]] const std::vector<std::size_t> &preloaded() const noexcept { return preloaded_; }
    /// Indices of the libraries in the order in which their constructors run.
    [[nodiscard]] const std::vector<std::size_t> &construction_order() const noexcept { return order_; }
    /// Bytes of thread-local variables that the host places in each thread, of the program and its libraries.
    [[nodiscard]] std::size_t thread_local_bytes() const noexcept { return thread_local_bytes_; }
    /// Names that the symbols of the copies have instead.
    [[nodiscard]] const std::map<std::string, std::string, std::less<>> &new_names() const noexcept {
        return new_names_;
    }

    [[nodiscard]] const std::vector<held_variable> &held_variables() const noexcept {
        return held_variables_;
    }
    /// Whether one of the program's own libraries has this symbol.
    [[nodiscard]] bool library_defines(std::string_view symbol) const {
        return find_in_libraries(symbol).second;
    }

    /// Of a library that ranks open: paths of the libraries to be opened before, whose copies' names follow
    /// those of the program's in what is written for each rank.
    [[nodiscard]] const std::vector<std::string> &to_be_opened() const noexcept { return to_be_opened_; }

    /// Loads the libraries that all ranks share and makes ready what is written for each rank.
    void prepare();

  private:
    void collect(const std::string &program, const library_rules &rules, library_search &search);
    void sort_constructors();
    void place_thread_locals(bool as_fibers);
    [[nodiscard]] std::optional<std::int64_t> find_thread_local(std::string_view symbol) const;
    void bind_thread_locals(module &which, std::vector<std::size_t> &own_relocations) const;
    /// The first of the program's own libraries that defines the symbol, and the symbol; or 0 and null.
    [[nodiscard]] std::pair<std::size_t, const Elf64_Sym *> find_in_libraries(std::string_view symbol) const;
    void find_held_variables(std::vector<std::size_t> &own_relocations);
    void find_new_names();
    [[nodiscard]] bool comes_first(std::size_t which, const void *other) const;

    void collect_for(const program_file &asker);
    void bind_thread_locals_of_base(module &which, std::vector<std::size_t> &own_relocations) const;

    const closure *base_ = nullptr;
    std::vector<std::string> to_be_opened_;
    std::vector<module> modules_;
    std::vector<std::string>
        loading_order_; ///< names of shared and private libraries, as a process meets them
    std::vector<std::size_t> order_;
    std::vector<std::size_t> preloaded_;
    std::size_t thread_local_bytes_ = 0;
    std::map<std::string, std::string, std::less<>> new_names_;
    std::vector<held_variable> held_variables_;
    void *shared_libraries_ = nullptr; ///< the loader's handle
};

/// Whether two paths lead to the same file.
[[nodiscard]] bool is_same_file(const std::string &one, const std::string &other);

/// Whether the loader has a library of this name.
[[nodiscard]] bool is_loaded(const std::string &name);

/// A name with the same hash (DT_GNU_HASH), so that tables of names remain as they are.
[[nodiscard]] std::string name_of_equal_hash(std::string_view name);

} // namespace lisle::host
