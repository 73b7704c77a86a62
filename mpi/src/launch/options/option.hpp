// SPDX-License-Identifier: Apache-2.0
// A row of the tables of options, and the use of an option that the row's function gets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/request/request.hpp"

namespace lisle::launch {

struct option;

/// One use of an option on a command line.
class option_use {
  public:
    virtual ~option_use() = default;
    /// The next word, or what stands behind the option's '='. Throws launch_error if there is none.
    virtual std::string_view value() = 0;
    /// What stands behind the option's '=', if anything does.
    virtual std::optional<std::string_view> attached() = 0;
    /// Puts these words in front of what is left of the command line.
    virtual void insert(std::vector<std::string> words) = 0;

    [[nodiscard]] int number(); ///< value() as a number of at least 1
    void skip_values();         ///< all that the row names

    job_request &job;
    program_request &program;
    const option &row;
    std::string shown; ///< the option as it was written
    int dashes;        ///< how many stand before it

  protected:
    option_use(job_request &for_job, program_request &for_program, const option &found, std::string written,
               int dash_count)
        : job{for_job}, program{for_program}, row{found}, shown{std::move(written)}, dashes{dash_count} {}
};

/// How the help text treats an option.
enum class listing {
    described, ///< with its meaning; without one only its other spelling is
    accepted,  ///< among those of other launchers that change nothing here
    hidden,
};

struct option {
    std::string_view names;  ///< without dashes, separated by '|', the preferred one first
    std::string_view values; ///< what follows, for the help text; the number of words is the number of values
    void (*apply)(option_use &use);
    std::string_view help; ///< its meaning; for `accepted` why, for refused ones what to do instead
    listing listed = listing::described;
    [[nodiscard]] bool has_name(std::string_view name) const;
    [[nodiscard]] int value_count() const;
};

/// The options of one subject.
struct option_table {
    std::string_view topic; ///< of --help
    std::string_view about; ///< what they are about, in a few words
    std::span<const option> rows;
};

/// All options, in the order of the help text.
[[nodiscard]] std::span<const option_table> option_tables();

/// The row with this name, or null.
[[nodiscard]] const option *find_option(std::string_view name);

/// The name as users write it: one dash for a letter, two for a word.
[[nodiscard]] std::string dashed(std::string_view name);

/// The tables (table_*.cpp).
[[nodiscard]] std::span<const option> rank_options();
[[nodiscard]] std::span<const option> environment_options();
[[nodiscard]] std::span<const option> placement_options();
[[nodiscard]] std::span<const option> fabric_options();
[[nodiscard]] std::span<const option> output_options();
[[nodiscard]] std::span<const option> control_options();
[[nodiscard]] std::span<const option> foreign_options();

} // namespace lisle::launch
