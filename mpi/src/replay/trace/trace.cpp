// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/trace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/trace/settings.hpp"

namespace lisle::replay {

namespace {

template <class... Words> [[noreturn]] void fail(const Words &...words) {
    std::string sentence;
    const auto add = [&sentence](const auto &word) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(word)>>) {
            sentence += std::to_string(word);
        } else {
            sentence += word;
        }
    };
    (add(words), ...);
    throw trace_error{sentence};
}

std::string content_of(const std::filesystem::path &file) {
    std::ifstream from{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{from}, {}};
}

/// How many ranks have a record, numbered from 0.
int count_records(const std::filesystem::path &folder) {
    int ranks = 0;
    while (exists(folder / (record_file + std::to_string(ranks)))) {
        ++ranks;
    }
    const auto files =
        std::ranges::count_if(std::filesystem::directory_iterator{folder}, [](const auto &each) {
            return each.path().filename().string().starts_with(record_file);
        });
    if (files != ranks) {
        fail("rank ", ranks, " has recorded nothing, and ", files, " others have");
    }
    if (ranks == 0) {
        fail("no rank has recorded anything: a program calls MPI_Init and is linked with Lisle");
    }
    return ranks;
}

std::string left_out_in(const std::filesystem::path &folder, int ranks) {
    std::set<std::string> names;
    for (int rank = 0; rank != ranks; ++rank) {
        std::ifstream lines{folder / (left_out_file + std::to_string(rank))};
        for (std::string name; std::getline(lines, name);) {
            names.insert(name);
        }
    }
    std::string all;
    for (const auto &each : names) {
        all += (all.empty() ? "" : ", ") + each;
    }
    return all;
}

template <class Value> void write(std::ofstream &to, const Value &value) {
    to.write(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Walks over the items of a record, so that each is known to end where it should.
void check_items(std::string_view record) {
    byte_reader in{record};
    std::uint64_t functions = 0;
    const auto check_function = [&functions](std::uint64_t number) {
        if (number >= functions) {
            fail("a call of function ", number, ", where ", functions, " are named");
        }
    };
    while (!in.at_end()) {
        const std::uint64_t what = in.number();
        switch (static_cast<item>(what)) {
        case item::end:
            return;
        case item::function:
            (void)in.text();
            ++functions;
            break;
        case item::compute:
        case item::processor:
        case item::pause:
            (void)in.number();
            break;
        case item::access:
            (void)in.number();
            (void)in.number();
            (void)in.number();
            break;
        case item::reading:
            break;
        case item::vain:
        case item::look:
            check_function(in.number());
            (void)in.number();
            (void)in.text();
            (void)in.text();
            if (static_cast<item>(what) == item::look) {
                (void)in.text();
            }
            break;
        default:
            check_function(what - static_cast<std::uint64_t>(item::call));
            (void)in.text();
        }
    }
}

} // namespace

std::string join_records(const std::filesystem::path &folder, const std::filesystem::path &file) {
    const int ranks = count_records(folder);
    std::string left_out = left_out_in(folder, ranks);
    std::ofstream to{file, std::ios::binary | std::ios::trunc};
    write(to, trace_head{.ranks = static_cast<std::uint32_t>(ranks), .left_out_bytes = left_out.size()});
    std::uint64_t begin =
        sizeof(trace_head) + static_cast<std::uint64_t>(ranks) * sizeof(trace_section) + left_out.size();
    std::vector<trace_section> sections;
    const auto record_of = [&folder](int rank) {
        return content_of(folder / (record_file + std::to_string(rank)));
    };
    for (int rank = 0; rank != ranks; ++rank) {
        const std::string record = record_of(rank);
        sections.push_back({begin, record.size(), sum_of(record)});
        write(to, sections.back());
        begin += record.size();
    }
    to << left_out;
    for (int rank = 0; rank != ranks; ++rank) {
        to << record_of(rank);
    }
    if (!to.flush()) {
        fail(file.string(), " cannot be written: ", std::strerror(errno));
    }
    return left_out;
}

trace::trace(const std::filesystem::path &file) {
    const std::string name = file.string();
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        fail(name, " cannot be read: ", std::strerror(errno));
    }
    const auto bytes = static_cast<std::size_t>(about.st_size);
    void *const mapped =
        bytes == 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED || bytes < sizeof(trace_head)) {
        fail(name, " has ", bytes, " bytes; the head of a trace alone has ", sizeof(trace_head));
    }
    file_ = {static_cast<const char *>(mapped), unmap{bytes}};
    const std::string_view content{file_.get(), bytes};
    trace_head head;
    std::memcpy(&head, content.data(), sizeof head);
    if (head.magic != trace_head::lisle) {
        fail(name, " is no trace of lislerun --record-trace");
    }
    if (head.version != trace_head::current_version) {
        fail(name, " is a trace of version ", head.version, "; this Lisle reads version ",
             trace_head::current_version);
    }
    const std::size_t rest = bytes - sizeof head;
    if (head.ranks == 0 || head.ranks > rest / sizeof(trace_section) ||
        head.left_out_bytes > rest - head.ranks * sizeof(trace_section)) {
        fail(name, " has ", bytes, " bytes, too few for ", head.ranks, " ranks");
    }
    sections_.resize(head.ranks);
    std::memcpy(sections_.data(), content.data() + sizeof head, head.ranks * sizeof(trace_section));
    left_out_ = content.substr(sizeof head + head.ranks * sizeof(trace_section), head.left_out_bytes);
    for (std::size_t rank = 0; rank != sections_.size(); ++rank) {
        const trace_section &each = sections_[rank];
        if (each.begin > bytes || each.bytes > bytes - each.begin) {
            fail(name, " has ", bytes, " bytes, and the record of rank ", rank, " has ", each.bytes, " from ",
                 each.begin, " on");
        }
    }
}

void trace::unmap::operator()(const char *memory) const noexcept {
    munmap(const_cast<char *>(memory), bytes);
}

std::string_view trace::record_of(int rank) const {
    const trace_section &wanted = sections_[static_cast<std::size_t>(rank)];
    const std::string_view record{file_.get() + wanted.begin, wanted.bytes};
    if (sum_of(record) != wanted.sum) {
        fail("the record of rank ", rank, " has been changed: its sum is ", sum_of(record), ", not ",
             wanted.sum);
    }
    try {
        check_items(record);
    } catch (const trace_error &error) {
        fail("the record of rank ", rank, " is damaged: ", error.what());
    }
    return record;
}

} // namespace lisle::replay
