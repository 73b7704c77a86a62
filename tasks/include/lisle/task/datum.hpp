// SPDX-License-Identifier: Apache-2.0
// Programs as data: symbols, constants and lists of these, each with its place in the source. The reader
// makes them of text, the embedded form of C++; the compiler takes them. Needs no MPI.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "lisle/task/value.hpp"

namespace lisle::tasks {

/// A program that cannot be read or compiled. what(): "file:line:column: ...".
class program_error : public std::runtime_error {
  public:
    program_error(const std::string &file, place where, const std::string &message)
        : runtime_error{file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " +
                        message},
          where_{where} {}
    [[nodiscard]] place where() const noexcept { return where_; }

  private:
    place where_;
};

/// One piece of a program.
struct datum {
    enum class kind { symbol, constant, list };
    kind is = kind::list;
    std::string symbol;
    value constant;
    std::vector<datum> items;    ///< of a list
    std::vector<datum> tile;     ///< of a symbol: the expression in name[tile], or nothing
    std::vector<datum> rank;     ///< of a symbol: the expression in name@rank, or nothing
    std::vector<datum> priority; ///< of a symbol: the expression in name^priority, or nothing
    place where;

    static datum of_symbol(std::string name, place where = {}) {
        datum made;
        made.is = kind::symbol;
        made.symbol = std::move(name);
        made.where = where;
        return made;
    }
    static datum of_constant(value given, place where = {}) {
        datum made;
        made.is = kind::constant;
        made.constant = std::move(given);
        made.where = where;
        return made;
    }
    static datum of_list(std::vector<datum> items, place where = {}) {
        datum made;
        made.items = std::move(items);
        made.where = where;
        return made;
    }
    [[nodiscard]] bool is_symbol(const char *name) const noexcept {
        return is == kind::symbol && symbol == name;
    }
    /// A list whose first item is this symbol.
    [[nodiscard]] bool is_form(const char *name) const noexcept {
        return is == kind::list && !items.empty() && items.front().is_symbol(name);
    }
};

/// A program as it was written: its top-level forms and the name of its file, for messages.
struct source {
    std::string file;
    std::vector<datum> forms;
};

/// Reads a program's text. Throws program_error with what was expected where.
source read(const std::string &text, std::string file = "program");
/// The text of a piece of a program.
std::string to_string(const datum &shown);

} // namespace lisle::tasks
