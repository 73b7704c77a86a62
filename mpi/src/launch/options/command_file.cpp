// SPDX-License-Identifier: Apache-2.0
#include "launch/options/command_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

namespace {

/// Splits one line into words.
class line_reader {
  public:
    line_reader(std::string_view shown, const std::string &path, const std::string &line)
        : shown_{shown}, path_{path}, rest_{line} {}

    std::vector<std::string> words() {
        while (!rest_.empty()) {
            const char next = take();
            if (next == '\'' || next == '"') {
                quoted(next);
            } else if (next == ' ' || next == '\t' || next == '\r') {
                end_word();
            } else {
                add(next == '\\' && !rest_.empty() ? take() : next);
            }
        }
        end_word();
        return std::move(words_);
    }

  private:
    char take() {
        const char next = rest_.front();
        rest_.remove_prefix(1);
        return next;
    }
    void add(char next) {
        word_ += next;
        in_word_ = true;
    }
    void quoted(char quote) {
        in_word_ = true; // '' is a word, too
        while (!rest_.empty()) {
            const char next = take();
            if (next == quote) {
                return;
            }
            const bool escapes = quote == '"' && next == '\\' && !rest_.empty() &&
                                 (rest_.front() == '"' || rest_.front() == '\\');
            add(escapes ? take() : next);
        }
        give_up(exit_usage, shown_, " ", path_, ": a quotation has no end: ", quote, word_);
    }
    void end_word() {
        if (in_word_) {
            words_.push_back(std::move(word_));
        }
        word_.clear();
        in_word_ = false;
    }

    std::string_view shown_;
    const std::string &path_;
    std::string_view rest_;
    std::string word_;
    bool in_word_ = false;
    std::vector<std::string> words_;
};

} // namespace

std::vector<std::vector<std::string>> read_command_file(std::string_view shown, const std::string &path) {
    std::ifstream file{path};
    if (!file) {
        give_up(exit_usage, shown, " ", path, ": the file cannot be read: ", std::strerror(errno));
    }
    std::vector<std::vector<std::string>> lines;
    std::string whole;
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find_first_not_of(" \t");
        if (whole.empty() && first != std::string::npos && line[first] == '#') {
            continue;
        }
        if (line.ends_with('\\')) {
            whole += line.substr(0, line.size() - 1) + ' ';
            continue;
        }
        auto words = line_reader{shown, path, whole += line}.words();
        whole.clear();
        if (!words.empty()) {
            lines.push_back(std::move(words));
        }
    }
    if (auto words = line_reader{shown, path, whole}.words(); !words.empty()) {
        lines.push_back(std::move(words));
    }
    return lines;
}

} // namespace lisle::launch
