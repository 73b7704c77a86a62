// SPDX-License-Identifier: Apache-2.0
// What the environment says, read once.
#include "base/settings.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <vector>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"

namespace lisle {

constinit std::atomic<bool> detail::all_changeable_are_default{false};

namespace {

constexpr auto count = static_cast<std::size_t>(setting::count);

/// Written before any other thread reads a setting.
constinit bool reports_wrong_values = true;

void complain(const char *variable, std::string_view text, const std::string &wanted,
              const std::string &used) {
    if (!reports_wrong_values) {
        return;
    }
    std::fprintf(stderr, "lisle: %s=%.*s is none of %s; using %s\n", variable, static_cast<int>(text.size()),
                 text.data(), wanted.c_str(), used.c_str());
}

/// All values of the process.
class values_in_force {
  public:
    values_in_force() {
        for (std::size_t i = 0; i < count; ++i) {
            const setting_description &about = all_settings()[i];
            numbers_[i].store(about.default_value, std::memory_order_relaxed);
            if (const auto which = static_cast<setting>(i); is_text(which)) {
                texts_[i] = environment_text(about.name.c_str());
            } else if (!is_algorithm(which)) {
                read_number(i);
            }
        }
        read_algorithms();
        look_at_changeable();
    }

    /// Relaxed: a value orders nothing; the thread that changes one tells the others.
    [[nodiscard]] std::int64_t number(setting which) const noexcept {
        return numbers_[static_cast<std::size_t>(which)].load(std::memory_order_relaxed);
    }
    [[nodiscard]] const std::string &text(setting which) const noexcept {
        return texts_[static_cast<std::size_t>(which)];
    }
    void change(setting which, std::int64_t value) noexcept {
        numbers_[static_cast<std::size_t>(which)].store(value, std::memory_order_relaxed);
        look_at_changeable();
    }

  private:
    void read_number(std::size_t place) {
        const setting_description &about = all_settings()[place];
        const std::string_view text = environment_text(about.name.c_str());
        if (text.empty()) {
            return;
        }
        if (const auto value = about.value_of(text)) {
            numbers_[place].store(*value, std::memory_order_relaxed);
        } else {
            complain(about.name.c_str(), text, about.values(), about.text_of(about.default_value));
        }
    }

    /// "bcast=binomial,allreduce=ring"
    void read_algorithms() {
        for (const std::string_view part : words_of(text(setting::collectives), ",")) {
            const auto equals = std::min(part.find('='), part.size());
            const std::string_view operation = part.substr(0, equals);
            const auto found =
                std::ranges::find(collective_operations, operation, &collective_operation_description::name);
            if (found == collective_operations.end()) {
                complain("LISLE_COLLECTIVES", part, "OPERATION=ALGORITHM" + suggestion_for(operation),
                         "auto");
                continue;
            }
            const setting_description &about = description_of(algorithm_of(found->which));
            const std::string_view algorithm = part.substr(std::min(equals + 1, part.size()));
            if (const auto value = about.value_of(algorithm)) {
                numbers_[static_cast<std::size_t>(algorithm_of(found->which))].store(
                    *value, std::memory_order_relaxed);
            } else {
                complain(about.name.c_str(), algorithm, about.values(), "auto");
            }
        }
    }
    static std::string suggestion_for(std::string_view operation) {
        std::array<std::string_view, collective_operations.size()> names;
        std::ranges::transform(collective_operations, names.begin(), &collective_operation_description::name);
        const std::string_view meant = nearest(operation, names);
        return meant.empty() ? "" : " (" + std::string{meant} + "=...?)";
    }

    void look_at_changeable() noexcept {
        // Who logs collectives is told of each choice.
        bool all = !log_choice::of(text(setting::log)).has(log_area::collective, log_level::events);
        for (auto each = static_cast<std::size_t>(setting::first_algorithm); each < count; ++each) {
            all = all && numbers_[each].load(std::memory_order_relaxed) == 0;
        }
        detail::all_changeable_are_default.store(all, std::memory_order_relaxed);
    }

    std::array<std::atomic<std::int64_t>, count> numbers_{};
    std::array<std::string, count> texts_;
};

/// Never destroyed: threads may ask while the process ends.
values_in_force &values() noexcept {
    static values_in_force &read = *std::make_unique<values_in_force>().release();
    return read;
}

} // namespace

void leave_reports_to_ranks() noexcept {
    reports_wrong_values = false;
}

std::int64_t value_of(setting which) noexcept {
    return values().number(which);
}

const std::string &text_of(setting which) noexcept {
    return values().text(which);
}

void change(setting which, std::int64_t value) noexcept {
    values().change(which, value);
}

value_origin origin_of(setting which) {
    if (is_algorithm(which)) {
        return value_of(which) == description_of(which).default_value ? value_origin::table
                                                                      : value_origin::environment;
    }
    const setting_description &about = description_of(which);
    const std::string_view text = environment_text(about.name.c_str());
    if (text.empty()) {
        return value_origin::table;
    }
    return is_text(which) || about.value_of(text) ? value_origin::environment : value_origin::refused;
}

std::string unknown_variables(const char *const *environment) {
    std::vector<std::string_view> known;
    for (const setting_description &each : all_settings()) {
        known.emplace_back(each.name);
    }
    for (const auto others : {compiler_variables(), rank_variables()}) {
        std::ranges::transform(others, std::back_inserter(known), &other_variable::name);
    }
    std::string lines;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string_view entry{*environment};
        const std::string_view name = entry.substr(0, entry.find('='));
        if (!name.starts_with("LISLE_") || name.starts_with("LISLE_TEST_") ||
            std::ranges::find(known, name) != known.end()) {
            continue;
        }
        const std::string_view meant = nearest(name, known);
        lines += sentence("lisle: nothing reads the variable ", name, meant.empty() ? "" : "; do you mean ",
                          meant, meant.empty() ? "" : "?", " (lislerun --help settings lists all)\n");
    }
    return lines;
}

std::string word_of(setting which) {
    const setting_description &about = description_of(which);
    return about.words.empty() ? std::string{} : about.text_of(value_of(which));
}

} // namespace lisle
