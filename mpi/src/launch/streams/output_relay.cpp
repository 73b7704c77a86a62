// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/output_relay.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "launch/common/machine.hpp"

namespace lisle::launch {

namespace {

/// Rank numbers as long as that of the last rank, so that listings are in order.
std::string filled_number(int rank, int last) {
    const auto digits = std::to_string(rank);
    return std::string(std::to_string(last).size() - digits.size(), '0') + digits;
}

/// MPICH's patterns: %r rank, %h host, %g index of the program, %p the one launcher, %% a percent sign.
std::string expand(const std::string &pattern, int rank, std::size_t program) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%' || i + 1 == pattern.size()) {
            text += pattern[i];
            continue;
        }
        switch (const char what = pattern[++i]; what) {
        case 'r':
            text += std::to_string(rank);
            break;
        case 'h':
            text += host_name();
            break;
        case 'g':
            text += std::to_string(program);
            break;
        case 'p':
            text += '0';
            break;
        case '%':
            text += '%';
            break;
        default:
            text += {'%', what};
        }
    }
    return text;
}

line_label label_of(const output_request &request, int rank, std::size_t program) {
    if (!request.label_pattern.empty()) {
        return {expand(request.label_pattern, rank, program), request.timestamps};
    }
    return {request.label ? sentence("[", rank, "] ") : std::string{}, request.timestamps};
}

} // namespace

output_relay::output_relay(const output_request &request, const job_plan &plan)
    : request_{request}, last_rank_{plan.ranks() - 1},
      // Plain labels of one process its host writes itself.
      relays_host_{!request.label_pattern.empty() || request.timestamps || request.merge ||
                   request.has_files() || plan.processes.size() > 1},
      output_{STDOUT_FILENO}, errors_{STDERR_FILENO} {
    if (!request.any()) {
        return;
    }
    for (const auto &process : plan.processes) {
        for (int rank = process.first_rank; rank < process.first_rank + process.ranks; ++rank) {
            streams_[0].push_back(make_stream(rank, process, false));
            streams_[1].push_back(make_stream(rank, process, true));
        }
    }
}

rank_stream output_relay::make_stream(int rank, const process_plan &process, bool errors) {
    const bool as_errors = errors && !request_.merge;
    const auto &pattern = as_errors ? request_.errors_pattern : request_.output_pattern;
    std::vector<std::string> names;
    if (!pattern.empty()) {
        names.push_back(expand(pattern, rank, process.program));
    }
    const auto number = filled_number(rank, last_rank_);
    if (!request_.directory.empty()) {
        names.push_back(request_.directory + "/1/rank." + number + (as_errors ? "/stderr" : "/stdout"));
    }
    if (!request_.file.empty()) {
        names.push_back(request_.file + "." + number + (as_errors ? ".err" : ".out"));
    }
    std::vector<std::shared_ptr<output_file>> files;
    for (const auto &name : names) {
        auto &file = files_[name];
        if (!file) {
            file = std::make_shared<output_file>(name);
        }
        files.push_back(file);
    }
    const bool shown = pattern.empty() && (request_.copy || names.empty());
    return {shown ? &(as_errors ? errors_ : output_) : nullptr, label_of(request_, rank, process.program),
            std::move(files)};
}

output_end output_relay::add_process(const process_plan &process, bool errors) {
    if (streams_[0].empty() || (process.hosted && !relays_host_)) {
        return {};
    }
    auto &streams = streams_[errors ? 1 : 0];
    auto *const first = &streams[static_cast<std::size_t>(process.first_rank)];
    const int own = errors ? STDERR_FILENO : STDOUT_FILENO;
    if (const int direct = process.hosted ? -1 : first->only_target(); direct >= 0) {
        return {{}, direct == own ? -1 : direct};
    }
    auto ends = make_pipe();
    fcntl(ends.read.get(), F_SETFL, O_NONBLOCK); // our end only: the process's stays as it expects it
    auto made = std::make_unique<source>(std::move(ends.read), first->to(), first, std::nullopt);
    if (process.hosted) {
        made->sorter = rank_sorter{
            {first, static_cast<std::size_t>(process.ranks)}, process.first_rank, errors ? errors_ : output_};
    }
    sources_.push_back(std::move(made));
    return {std::move(ends.write), -1};
}

void output_relay::source::feed(std::string_view piece) {
    sorter ? sorter->feed(piece) : stream->feed(piece);
}

void output_relay::source::end() {
    sorter ? sorter->finish() : stream->finish();
    pipe.reset();
}

void output_relay::prepare(std::vector<pollfd> &polled) const {
    for (const auto *to : {&output_, &errors_}) {
        polled.push_back({to->has_work() ? to->descriptor() : -1, POLLOUT, 0});
    }
    for (const auto &from : sources_) {
        // A slow reader of ours slows the processes: their pipes fill.
        const bool held = from->to != nullptr && from->to->is_full();
        polled.push_back({from->pipe && !held ? from->pipe.get() : -1, POLLIN, 0});
    }
}

void output_relay::handle(const pollfd *polled, std::size_t count) {
    std::size_t at = 0;
    for (auto *to : {&output_, &errors_}) {
        if (polled[at++].revents != 0) {
            to->write_some();
        }
    }
    for (const auto &from : sources_) {
        if (at == count) {
            break; // added since
        }
        if (from->to != nullptr && from->to->broken()) {
            from->pipe.reset(); // so that the process gets the SIGPIPE that it would get without us
        } else if (polled[at].revents != 0) {
            read_some(*from);
        }
        ++at;
    }
    std::erase_if(sources_, [](const auto &from) { return !from->pipe; });
}

void output_relay::read_some(source &from) {
    std::array<char, std::size_t{64} * 1024> piece;
    const auto length = read(from.pipe.get(), piece.data(), piece.size());
    if (length > 0) {
        from.feed({piece.data(), static_cast<std::size_t>(length)});
    } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        from.end();
    }
}

std::size_t output_relay::unread() const {
    return output_.unread() + errors_.unread();
}

void output_relay::finish() {
    for (const auto &from : sources_) {
        std::array<char, std::size_t{64} * 1024> piece;
        ssize_t length = 0;
        // Bounded by what a pipe can hold, since all its writers have ended.
        while ((length = read(from->pipe.get(), piece.data(), piece.size())) > 0) {
            from->feed({piece.data(), static_cast<std::size_t>(length)});
        }
        from->end();
    }
    sources_.clear();
}

std::string output_relay::failure() const {
    for (const auto *to : {&output_, &errors_}) {
        if (auto failed = to->failure(); !failed.empty()) {
            return failed;
        }
    }
    for (const auto &[name, file] : files_) {
        if (!file->failure().empty()) {
            return file->failure();
        }
    }
    return {};
}

} // namespace lisle::launch
