// SPDX-License-Identifier: Apache-2.0
#include "file/hints.hpp"

#include <charconv>
#include <string>
#include <string_view>

namespace lisle::file {

namespace {

struct number_hint {
    const char *key;
    MPI_Count hints::*value;
    MPI_Count least, most;
};
constexpr MPI_Count smallest_buffer = 1024, largest_buffer = MPI_Count{1} << 30;
constexpr number_hint numbers[] = {
    {"cb_buffer_size", &hints::collective_buffer, smallest_buffer, largest_buffer},
    {"cb_nodes", &hints::aggregators, 1, 1 << 20},
    {"ind_rd_buffer_size", &hints::read_buffer, smallest_buffer, largest_buffer},
    {"ind_wr_buffer_size", &hints::write_buffer, smallest_buffer, largest_buffer},
};

struct choice_hint {
    const char *key;
    choice hints::*value;
};
constexpr choice_hint choices[] = {
    {"romio_cb_read", &hints::collective_reads},
    {"romio_cb_write", &hints::collective_writes},
    {"romio_ds_read", &hints::sieved_reads},
    {"romio_ds_write", &hints::sieved_writes},
};
constexpr std::string_view words[] = {"automatic", "enable", "disable"};

} // namespace

void hints::apply(const info &from) {
    for (const number_hint &hint : numbers) {
        if (const auto text = from.get(hint.key)) {
            MPI_Count value = 0;
            const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
            if (error == std::errc{} && end == text->data() + text->size() && value >= hint.least &&
                value <= hint.most) {
                this->*hint.value = value;
            }
        }
    }
    for (const choice_hint &hint : choices) {
        const auto text = from.get(hint.key);
        for (int word = 0; word < static_cast<int>(std::size(words)); ++word) {
            if (text == words[word]) {
                this->*hint.value = static_cast<choice>(word);
            }
        }
    }
}

void hints::describe(info &into) const {
    for (const number_hint &hint : numbers) {
        if (this->*hint.value != 0) {
            into.set(hint.key, std::to_string(this->*hint.value));
        }
    }
    for (const choice_hint &hint : choices) {
        into.set(hint.key, words[static_cast<int>(this->*hint.value)]);
    }
}

} // namespace lisle::file
