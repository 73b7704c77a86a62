// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/job.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include <lisle/communicator.hpp>

#include "couple/agreement.hpp"
#include "couple/component_state.hpp"
#include "couple/run_picture.hpp"
#include "couple/words.hpp"

namespace lisle::couple {

namespace {

/// A component's restart file.
std::string file_of(const std::string &path, const std::string &component) {
    return path + "." + component;
}

} // namespace

class job::state {
  public:
    state(MPI_Comm all, const std::vector<std::string> &own);
    [[nodiscard]] component &find(const std::string &name);
    void configure(const std::string &path);
    void watch();
    void begin();
    void draw(const std::string &path);
    void save(const std::string &path);
    void load(const std::string &path);
    void finish() {
        for (auto &[name, each] : own_) {
            each.state_->finish();
        }
    }

  private:
    /// The same at all ranks, by name.
    [[nodiscard]] std::vector<detail::declaration> all_declarations() const;
    void check_alike() const;
    /// By component.
    [[nodiscard]] std::map<std::string, std::int64_t> all_steps_done() const;
    void agree_on_files(const std::vector<detail::restart_file> &files) const;
    void couple(const std::vector<detail::declaration> &all, const detail::matched_want &pair, int tag);
    [[nodiscard]] component::state *own(const std::string &name) {
        const auto found = own_.find(name);
        return found == own_.end() ? nullptr : found->second.state_.get();
    }

    owned<communicator> all_;
    std::vector<detail::declaration> declared_; ///< of all components, once the job has begun
    bool is_watched_ = false;
    std::map<std::string, component> own_;
};

job::state::state(MPI_Comm all, const std::vector<std::string> &own) : all_{communicator{all}.dup()} {
    // Every rank learns all names, in one order.
    std::string mine;
    for (const std::string &each : own) {
        mine += each + '\n';
    }
    std::set<std::string> names;
    for (const std::string &those : all_.allgather(mine)) {
        for (std::size_t at = 0; at != those.size();) {
            const std::size_t end = those.find('\n', at);
            names.insert(those.substr(at, end - at));
            at = end + 1;
        }
    }
    for (const std::string &name : names) {
        const bool is_own = std::ranges::find(own, name) != own.end();
        MPI_Comm ranks = MPI_COMM_NULL;
        lisle::detail::check(MPI_Comm_split(all_.native(), is_own ? 0 : MPI_UNDEFINED, 0, &ranks),
                             "MPI_Comm_split");
        if (is_own) {
            own_.emplace(name, component{std::make_unique<component::state>(name, ranks)});
        }
    }
}

component &job::state::find(const std::string &name) {
    const auto found = own_.find(name);
    if (found == own_.end()) {
        detail::reject("this rank is none of \"" + name + "\"");
    }
    return found->second;
}

// All ranks of a component declare the same fields, whatever points they have.
void job::state::check_alike() const {
    std::string wrong;
    for (const auto &[name, each] : own_) {
        const std::string mine = written(each.state_->declared());
        std::string of_first = mine;
        communicator{each.ranks()}.broadcast(resized(of_first));
        if (of_first != mine && wrong.empty()) {
            wrong = "the ranks of \"" + name + "\" have not all declared the same steps and fields";
        }
    }
    detail::agree_on(all_, wrong);
}

std::vector<detail::declaration> job::state::all_declarations() const {
    // The first rank of each component speaks for it.
    std::string mine;
    for (const auto &[name, each] : own_) {
        if (communicator{each.ranks()}.rank() == 0) {
            mine += written(each.state_->declared());
        }
    }
    std::vector<detail::declaration> all;
    for (const std::string &text : all_.allgather(mine)) {
        for (detail::declaration &each : detail::read_declarations(text)) {
            all.push_back(std::move(each));
        }
    }
    std::ranges::sort(all, {}, &detail::declaration::component);
    return all;
}

void job::state::begin() {
    check_alike();
    const std::vector<detail::declaration> all = all_declarations();
    int tag = 0;
    for (const detail::matched_want &each : detail::match(all)) {
        couple(all, each, tag++);
    }
    for (auto &[name, each] : own_) {
        each.state_->begin(is_watched_);
    }
    declared_ = all;
}

// One rank reads the file; all understand it, and find their own wants in it.
void job::state::configure(const std::string &path) {
    std::string text, wrong;
    if (all_.rank() == 0) {
        std::ifstream file{path, std::ios::binary};
        text.assign(std::istreambuf_iterator<char>{file}, {});
        wrong = file ? std::string{} : "the configuration \"" + path + "\" cannot be read";
    }
    detail::agree_on(all_, wrong);
    all_.broadcast(resized(text));
    const std::vector<detail::configured_want> lines = detail::read_configuration(path, text);
    std::vector<int> known(lines.size());
    for (std::size_t at = 0; at != lines.size(); ++at) {
        component::state *const receiver = own(lines[at].component);
        known[at] = receiver != nullptr && receiver->configure(lines[at]) ? 1 : 0;
    }
    known = all_.allreduce(known, maximum{});
    for (std::size_t at = 0; at != lines.size(); ++at) {
        if (known[at] == 0) {
            detail::reject(path + ":" + std::to_string(lines[at].line) + ": no component \"" +
                           lines[at].component + "\" wants \"" + lines[at].want + "\"");
        }
    }
}

void job::state::watch() {
    is_watched_ = true;
}

void job::state::draw(const std::string &path) {
    detail::agree_on(all_, is_watched_ ? std::string{} : "a job has to be watched before it can be drawn");
    double longest = 0;
    for (auto &[name, each] : own_) {
        longest = std::max(longest, each.state_->end_activity().width());
    }
    const double stretch = all_.allreduce(longest, maximum{});
    std::vector<detail::component_activity> mine;
    std::vector<std::int64_t> numbers;
    for (auto &[name, each] : own_) {
        const auto measured = detail::measured(each.state_->end_activity(), each.ranks(), stretch);
        if (communicator{each.ranks()}.rank() == 0) {
            mine.push_back(measured);
            numbers.push_back(std::ranges::find(declared_, name, &detail::declaration::component) -
                              declared_.begin());
        }
    }
    const auto [measured, counts] = all_.gatherv(mine);
    const auto [which, same_counts] = all_.gatherv(numbers);
    std::string wrong;
    if (all_.rank() == 0) {
        std::vector<detail::component_activity> all(declared_.size());
        for (std::size_t at = 0; at != measured.size(); ++at) {
            all[static_cast<std::size_t>(which[at])] = measured[at];
        }
        std::ofstream file{path};
        file << detail::run_picture(declared_, all, stretch);
        file.close();
        wrong = file ? std::string{} : "the picture \"" + path + "\" could not be written";
    }
    detail::agree_on(all_, wrong);
}

void job::state::couple(const std::vector<detail::declaration> &all, const detail::matched_want &pair,
                        int tag) {
    const detail::declaration &from = all[pair.sender], &to = all[pair.receiver];
    const detail::declared_want &wanted = to.wants[pair.want];
    const global_index grid_points = from.offers[pair.offer].grid_points;
    component::state *const sender = own(from.component), *const receiver = own(to.component);
    const decomposition nothing{grid_points};

    std::string wrong;
    std::optional<detail::weight_rows> rows;
    decomposition points = nothing;
    if (receiver != nullptr) {
        const want &own_want = receiver->want_at(pair.want);
        if (wanted.regrids) {
            wrong = detail::what_is_wrong(own_want.weights, own_want.points.places(), grid_points);
            rows.emplace(receiver->take_weights(pair.want));
            points = wrong.empty() ? decomposition::list(grid_points, rows->sources()) : nothing;
        } else {
            points = own_want.points;
        }
    }
    const decomposition &offered = sender != nullptr ? sender->offer_at(pair.offer).points : nothing;
    detail::agree_on(all_, wrong);
    const router routes{all_.native(), offered, points};
    detail::agree_on(all_, wanted.regrids && routes.unserved() != 0
                               ? std::to_string(routes.unserved()) + " of the points that weights of \"" +
                                     wanted.own.name + "\" of \"" + to.component +
                                     "\" name are offered by nobody"
                               : std::string{});
    const timetable when{from.when, to.when.spaced(wanted.every), wanted.how, wanted.lag};
    if (sender != nullptr) {
        sender->add_outgoing(pair.offer, "\"" + wanted.own.name + "\" of \"" + to.component + "\"",
                             wanted.is_iterated,
                             {all_.native(), tag, when, routes, offered, sender->offer_at(pair.offer).place});
    }
    if (receiver != nullptr) {
        const want &own_want = receiver->want_at(pair.want);
        receiver->set_incoming(pair.want, {all_.native(), tag, when, routes, points, own_want.place,
                                           own_want.points.places(), std::move(rows)});
    }
}

void job::state::save(const std::string &path) {
    std::string wrong;
    for (const auto &[name, each] : own_) {
        if (wrong.empty()) {
            wrong = name.find('/') == std::string::npos
                        ? each.state_->what_is_not_put()
                        : "the name \"" + name + "\" cannot be a part of a restart file's name";
        }
    }
    detail::agree_on(all_, wrong);
    for (const auto &[name, each] : own_) {
        if (!each.state_->is_at_end()) {
            each.state_->get_all();
        }
    }
    const std::map<std::string, std::int64_t> steps_done_of = all_steps_done();
    for (const auto &[name, each] : own_) {
        each.state_->collect(steps_done_of);
    }
    std::vector<detail::restart_file> files;
    for (const auto &[name, each] : own_) {
        files.push_back(each.state_->write(file_of(path, name)));
    }
    agree_on_files(files);
    for (detail::restart_file &each : files) {
        each.keep();
    }
    agree_on_files(files);
}

std::map<std::string, std::int64_t> job::state::all_steps_done() const {
    detail::word_writer own;
    for (const auto &[name, each] : own_) {
        own << name << each.state_->steps_done();
    }
    std::map<std::string, std::int64_t> all;
    for (const std::string &text : all_.allgather(std::move(own).text())) {
        for (detail::word_reader from{text}; !from.is_at_end();) {
            const std::string name = from.word();
            all[name] = from.number();
        }
    }
    return all;
}

void job::state::load(const std::string &path) {
    std::vector<detail::restart_file> files;
    for (const auto &[name, each] : own_) {
        files.push_back(detail::restart_file::open(each.ranks(), file_of(path, name)));
    }
    agree_on_files(files);
    std::string wrong;
    auto file = files.begin();
    for (const auto &[name, each] : own_) {
        const std::string sentence = each.state_->resume((file++)->header());
        if (wrong.empty() && !sentence.empty()) {
            wrong.append("the restart file \"").append(file_of(path, name)).append("\" ").append(sentence);
        }
    }
    detail::agree_on(all_, wrong);
    file = files.begin();
    for (const auto &[name, each] : own_) {
        each.state_->read(*file++);
    }
    agree_on_files(files);
}

void job::state::agree_on_files(const std::vector<detail::restart_file> &files) const {
    const auto failed =
        std::ranges::find_if(files, [](const detail::restart_file &each) { return !each.wrong().empty(); });
    detail::agree_on(all_, failed == files.end() ? std::string{} : failed->wrong());
}

// ---- what programs see ----

job::job(MPI_Comm all, const std::vector<std::string> &own) : state_{std::make_unique<state>(all, own)} {}

// What has not left would be waited for in vain by another component, so the program does not go on.
job::~job() {
    if (std::uncaught_exceptions() != 0) {
        return;
    }
    try {
        state_->finish();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "couple: what was put could not be sent: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

component &job::operator[](const std::string &name) {
    return state_->find(name);
}
void job::configure(const std::string &path) {
    state_->configure(path);
}
void job::watch() {
    state_->watch();
}
void job::begin() {
    state_->begin();
}
void job::draw(const std::string &path) {
    state_->draw(path);
}
void job::save(const std::string &path) {
    state_->save(path);
}
void job::load(const std::string &path) {
    state_->load(path);
}

} // namespace lisle::couple
