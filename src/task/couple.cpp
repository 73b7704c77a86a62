// SPDX-License-Identifier: Apache-2.0
// The protocol of coupled models. Each model says when it has reached a time (once, to those it is connected
// with) and answers requests for values whenever it is in the library. Why nothing can deadlock: of all
// models that wait, take one with the least time t. It waits for others to reach t, or for values at t of
// another model. Such a model is at t or later, has said so before it waits itself, and has posted
// its values of that time before; so it can answer, and does: a model that waits answers.
#include <lisle/couple.hpp>

#include <exception>
#include <optional>

namespace lisle::couple {

namespace detail {

namespace {

constexpr int control_tag = 0, values_tag = 1;

enum class message_kind : std::uint32_t { reached, request, finished, goodbye };

/// Everything but values.
struct control {
    message_kind kind;
    std::int32_t field;
    ticks time;
    std::uint32_t rule;
    std::uint32_t unused;
};

/// Before values, in one message with them.
struct values_head {
    std::int32_t field;
    std::uint32_t is_missing; ///< the model has finished without posting the field
    std::array<std::int64_t, 3> extents;
    std::uint64_t element;
    std::uint32_t kind;
    std::uint32_t has_after;
    double weight;
    std::uint64_t bytes; ///< of one time's values; once, or twice if has_after
};

void check(int code, const char *call) {
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(code, text, &length);
        throw std::runtime_error{std::string{call} + ": " +
                                 std::string(text, static_cast<std::size_t>(length))};
    }
}

} // namespace

/// Values of one field, by time. Old ones that nobody can ask for any more are dropped.
struct field {
    model::shape what{};
    std::map<ticks, std::shared_ptr<const std::vector<std::byte>>> values;
};

class state {
  public:
    state(MPI_Comm comm, settings how) : settings_{std::move(how)}, time_{settings_.offset} {
        if (settings_.period < 1) {
            throw std::invalid_argument{"couple::model '" + settings_.name + "': a period of " +
                                        std::to_string(settings_.period) + "; it has to be 1 or more"};
        }
        check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &ranks_);
        learn_models();
    }
    state(const state &) = delete;
    state &operator=(const state &) = delete;
    ~state() {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized == 0) {
            MPI_Comm_free(&comm_);
        }
    }

    [[nodiscard]] ticks time() const noexcept { return time_; }

    void advance() { time_ += settings_.period; }

    void sync() {
        announce({message_kind::reached, 0, time_, 0, 0});
        while (!all_have_reached(time_)) {
            take_message();
        }
        forget_old_values();
    }

    void put(const std::string &name, const model::shape &what, std::vector<std::byte> values) {
        field &mine = fields_[number_of(name)];
        if (!mine.values.empty() && !(mine.what == what)) {
            throw std::logic_error{"couple::post: '" + name + "' of '" + settings_.name +
                                   "' has changed its type or its shape"};
        }
        if (!mine.values.empty() && mine.values.rbegin()->first >= time_) {
            throw std::logic_error{"couple::post: '" + name + "' of '" + settings_.name +
                                   "' has values of time " + std::to_string(mine.values.rbegin()->first) +
                                   " already, at time " + std::to_string(time_)};
        }
        mine.what = what;
        mine.values.emplace(time_, std::make_shared<const std::vector<std::byte>>(std::move(values)));
        answer_pending();
        poll();
    }

    void request(int from, std::int32_t name, between rule) {
        if (!asked_.contains({from, name})) {
            asked_[{from, name}] = std::nullopt;
            send(from, {message_kind::request, name, time_, static_cast<std::uint32_t>(rule), 0});
        }
    }

    bool has(int from, std::int32_t name) {
        poll();
        const auto found = asked_.find({from, name});
        return found != asked_.end() && found->second.has_value();
    }

    struct answer {
        values_head head{};
        std::vector<std::byte> bytes;
    };
    answer get(int from, std::int32_t name, between rule) {
        request(from, name, rule);
        while (!asked_.at({from, name})) {
            take_message();
        }
        answer found = std::move(*asked_.at({from, name}));
        asked_.erase({from, name});
        return found;
    }

    /// The rank of a connected model.
    [[nodiscard]] int rank_of(const std::string &name, const char *call) const {
        const auto found = std::ranges::find(names_, name);
        const auto rank = static_cast<int>(found - names_.begin());
        if (found == names_.end() || !is_connected_[static_cast<std::size_t>(rank)]) {
            throw std::invalid_argument{std::string{call} + ": '" + settings_.name +
                                        "' is not connected with '" + name + "'"};
        }
        return rank;
    }
    [[nodiscard]] progress progress_of(int rank) const {
        const ticks reached = reached_[static_cast<std::size_t>(rank)];
        return {reached, reached == end_of_time};
    }
    // A field's number is a hash of its name: equal in all models without an agreement.
    [[nodiscard]] static std::int32_t number_of(const std::string &name) noexcept {
        std::uint32_t hash = 2166136261U;
        for (const char letter : name) {
            hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
        }
        return static_cast<std::int32_t>(hash & 0x7fffffffU);
    }
    [[nodiscard]] const std::string &name() const noexcept { return settings_.name; }

    void finish() {
        time_ = end_of_time;
        announce({message_kind::finished, 0, end_of_time, 0, 0});
        answer_pending();
        while (!all_have_reached(end_of_time)) {
            take_message();
        }
        // Nobody asks any more; but a neighbour may still wait for a third model, and what it is sent has to
        // leave.
        announce({message_kind::goodbye, 0, 0, 0, 0});
        while (goodbyes_ < std::ranges::count(is_connected_, true)) {
            take_message();
        }
        check(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
        sends_.clear();
        sent_.clear();
        is_finished_ = true;
    }
    [[nodiscard]] bool is_finished() const noexcept { return is_finished_; }

  private:
    // Names, and who is connected with whom: a connection that one side names holds for both.
    void learn_models() {
        std::string mine = settings_.name;
        for (const std::string &other : settings_.connected) {
            mine += '\n' + other;
        }
        const int length = static_cast<int>(mine.size());
        std::vector<int> lengths(static_cast<std::size_t>(ranks_)), offsets(static_cast<std::size_t>(ranks_));
        check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm_), "MPI_Allgather");
        int total = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            offsets[i] = total;
            total += lengths[i];
        }
        std::string all(static_cast<std::size_t>(total), ' ');
        check(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                             MPI_CHAR, comm_),
              "MPI_Allgatherv");
        std::vector<std::vector<std::string>> lines(static_cast<std::size_t>(ranks_));
        for (std::size_t rank = 0; rank < lines.size(); ++rank) {
            std::string text =
                all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])) +
                '\n';
            for (std::size_t at = 0, end = text.find('\n'); end != std::string::npos;
                 at = end + 1, end = text.find('\n', at)) {
                lines[rank].push_back(text.substr(at, end - at));
            }
            if (std::ranges::find(names_, lines[rank][0]) != names_.end()) {
                throw std::invalid_argument{"couple::model: two models are called '" + lines[rank][0] + "'"};
            }
            names_.push_back(lines[rank][0]);
        }
        is_connected_.assign(names_.size(), false);
        reached_.assign(names_.size(), std::numeric_limits<ticks>::min());
        for (std::size_t rank = 0; rank < lines.size(); ++rank) {
            for (std::size_t i = 1; i < lines[rank].size(); ++i) {
                const auto other =
                    static_cast<std::size_t>(std::ranges::find(names_, lines[rank][i]) - names_.begin());
                if (other == names_.size() || other == rank) {
                    throw std::invalid_argument{"couple::model: '" + names_[rank] +
                                                "' cannot be connected with '" + lines[rank][i] + "'"};
                }
                if (rank == static_cast<std::size_t>(rank_)) {
                    is_connected_[other] = true;
                } else if (other == static_cast<std::size_t>(rank_)) {
                    is_connected_[rank] = true;
                }
            }
        }
    }

    [[nodiscard]] bool all_have_reached(ticks when) const {
        for (std::size_t other = 0; other < reached_.size(); ++other) {
            if (is_connected_[other] && reached_[other] < when) {
                return false;
            }
        }
        return true;
    }

    void announce(const control &message) {
        for (std::size_t other = 0; other < is_connected_.size(); ++other) {
            if (is_connected_[other]) {
                send(static_cast<int>(other), message);
            }
        }
    }

    void send(int to, const control &message) {
        std::vector<std::byte> bytes(sizeof message);
        std::memcpy(bytes.data(), &message, sizeof message);
        send(to, control_tag, std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
    }
    void send(int to, int tag, std::shared_ptr<const std::vector<std::byte>> bytes) {
        MPI_Request request;
        check(MPI_Isend_c(bytes->data(), static_cast<MPI_Count>(bytes->size()), MPI_BYTE, to, tag, comm_,
                          &request),
              "MPI_Isend");
        keep(request, {std::move(bytes)});
    }
    void keep(MPI_Request request, std::vector<std::shared_ptr<const std::vector<std::byte>>> bytes) {
        sends_.push_back(request);
        sent_.push_back(std::move(bytes));
        for (std::size_t i = sends_.size(); i-- > 0;) {
            int is_done = 0;
            MPI_Test(&sends_[i], &is_done, MPI_STATUS_IGNORE);
            if (is_done != 0) {
                sends_.erase(sends_.begin() + static_cast<std::ptrdiff_t>(i));
                sent_.erase(sent_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }

    // Waits for one message and acts on it.
    void take_message() {
        MPI_Message message;
        MPI_Status status;
        check(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &message, &status), "MPI_Mprobe");
        receive(message, status);
    }
    void poll() {
        for (;;) {
            MPI_Message message;
            MPI_Status status;
            int flag = 0;
            check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, &message, &status), "MPI_Improbe");
            if (flag == 0) {
                return;
            }
            receive(message, status);
        }
    }
    void receive(MPI_Message message, const MPI_Status &status) {
        MPI_Count size = 0;
        MPI_Get_count_c(&status, MPI_BYTE, &size);
        std::vector<std::byte> bytes(static_cast<std::size_t>(size));
        check(MPI_Mrecv_c(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
        if (status.MPI_TAG == values_tag) {
            receive_values(status.MPI_SOURCE, std::move(bytes));
        } else if (bytes.size() == sizeof(control)) {
            control told{};
            std::memcpy(&told, bytes.data(), sizeof told);
            receive_control(status.MPI_SOURCE, told);
        } else {
            throw std::runtime_error{"couple: a message of " + std::to_string(bytes.size()) +
                                     " bytes from '" + names_[static_cast<std::size_t>(status.MPI_SOURCE)] +
                                     "' is none of the protocol's"};
        }
    }
    void receive_control(int from, const control &told) {
        ticks &reached = reached_[static_cast<std::size_t>(from)];
        switch (told.kind) {
        case message_kind::reached:
        case message_kind::finished:
            reached = std::max(reached, told.time);
            return;
        case message_kind::request:
            pending_.push_back({from, told});
            answer_pending();
            return;
        case message_kind::goodbye:
            ++goodbyes_;
            return;
        }
        throw std::runtime_error{"couple: an unknown message from '" +
                                 names_[static_cast<std::size_t>(from)] + "'"};
    }
    void receive_values(int from, std::vector<std::byte> bytes) {
        answer got;
        if (bytes.size() < sizeof got.head) {
            throw std::runtime_error{"couple: values from '" + names_[static_cast<std::size_t>(from)] +
                                     "' end too early"};
        }
        std::memcpy(&got.head, bytes.data(), sizeof got.head);
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(sizeof got.head));
        const auto asked = asked_.find({from, got.head.field});
        if (asked == asked_.end() || bytes.size() != got.head.bytes * (got.head.has_after != 0 ? 2 : 1)) {
            throw std::runtime_error{"couple: values from '" + names_[static_cast<std::size_t>(from)] +
                                     "' that nobody has asked for, or of a wrong size"};
        }
        got.bytes = std::move(bytes);
        asked->second = std::move(got);
    }

    void answer_pending() {
        std::erase_if(pending_, [this](const auto &each) { return answer_request(each.first, each.second); });
    }
    // @return whether the values are known
    bool answer_request(int to, const control &asked) {
        const auto found = fields_.find(asked.field);
        values_head head{};
        head.field = asked.field;
        if (found == fields_.end()) {
            if (time_ != end_of_time) {
                return false;
            }
            head.is_missing = 1;
            send_values(to, head, {}, {});
            return true;
        }
        const field &mine = found->second;
        const auto after = mine.values.lower_bound(asked.time); // at that time or later
        const bool latest_is_known =
            time_ >= asked.time && asked.rule == static_cast<std::uint32_t>(between::latest);
        if (after == mine.values.end() && !latest_is_known && time_ != end_of_time) {
            return false;
        }
        head.extents = mine.what.extents;
        head.element = mine.what.element;
        head.kind = static_cast<std::uint32_t>(mine.what.kind);
        auto before = after;
        if (after == mine.values.end() || (after->first != asked.time && after != mine.values.begin())) {
            before = std::prev(after);
        }
        head.bytes = before->second->size();
        const bool interpolates = asked.rule == static_cast<std::uint32_t>(between::linear) &&
                                  after != mine.values.end() && before != after;
        if (interpolates) {
            head.has_after = 1;
            head.weight = static_cast<double>(asked.time - before->first) /
                          static_cast<double>(after->first - before->first);
        }
        send_values(to, head, before->second, interpolates ? after->second : nullptr);
        return true;
    }
    // Head and values in one message, the values from where they are.
    void send_values(int to, const values_head &head, std::shared_ptr<const std::vector<std::byte>> before,
                     std::shared_ptr<const std::vector<std::byte>> after) {
        std::vector<std::byte> first(sizeof head);
        std::memcpy(first.data(), &head, sizeof head);
        std::vector<std::shared_ptr<const std::vector<std::byte>>> parts{
            std::make_shared<const std::vector<std::byte>>(std::move(first))};
        for (auto &each : {before, after}) {
            if (each) {
                parts.push_back(each);
            }
        }
        std::vector<MPI_Count> lengths, places;
        for (const auto &part : parts) {
            MPI_Aint address = 0;
            MPI_Get_address(part->data(), &address);
            lengths.push_back(static_cast<MPI_Count>(part->size()));
            places.push_back(static_cast<MPI_Count>(address));
        }
        MPI_Datatype type;
        check(MPI_Type_create_hindexed_c(static_cast<MPI_Count>(parts.size()), lengths.data(), places.data(),
                                         MPI_BYTE, &type),
              "MPI_Type_create_hindexed");
        MPI_Type_commit(&type);
        MPI_Request request;
        const int code = MPI_Isend(MPI_BOTTOM, 1, type, to, values_tag, comm_, &request);
        MPI_Type_free(&type);
        check(code, "MPI_Isend");
        keep(request, std::move(parts));
    }

    // Others may ask for the times that they have reached, or for later ones: values before the last one that
    // is not after the slowest of them are never asked for again.
    void forget_old_values() {
        ticks slowest = time_;
        for (std::size_t other = 0; other < reached_.size(); ++other) {
            if (is_connected_[other]) {
                slowest = std::min(slowest, reached_[other]);
            }
        }
        for (auto &[number, each] : fields_) {
            auto last = each.values.upper_bound(slowest);
            if (last != each.values.begin()) {
                each.values.erase(each.values.begin(), std::prev(last));
            }
        }
    }

    const settings settings_;
    ticks time_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, ranks_ = 1;
    std::vector<std::string> names_; ///< by rank
    std::vector<bool> is_connected_;
    std::vector<ticks> reached_; ///< what connected models have said
    std::map<std::int32_t, field> fields_;
    std::vector<std::pair<int, control>> pending_; ///< requests whose values are not known yet
    std::map<std::pair<int, std::int32_t>, std::optional<answer>> asked_;
    std::vector<MPI_Request> sends_;
    std::vector<std::vector<std::shared_ptr<const std::vector<std::byte>>>> sent_; ///< what sends_ send
    std::ptrdiff_t goodbyes_ = 0;
    bool is_finished_ = false;
};

} // namespace detail

model::model(MPI_Comm comm, settings how) : state_{std::make_unique<detail::state>(comm, std::move(how))} {}
model::model(model &&) noexcept = default;
model &model::operator=(model &&) noexcept = default;
model::~model() {
    if (state_ && !state_->is_finished() && std::uncaught_exceptions() == 0) {
        state_->finish();
    }
}

ticks model::time() const noexcept {
    return state_->time();
}
void model::sync() {
    state_->sync();
}
void model::advance() {
    state_->advance();
}
void model::request(const std::string &model, const std::string &field) {
    state_->request(state_->rank_of(model, "couple::request"), detail::state::number_of(field),
                    between::linear);
}
bool model::has(const std::string &model, const std::string &field) {
    return state_->has(state_->rank_of(model, "couple::has"), detail::state::number_of(field));
}
progress model::progress_of(const std::string &model) const {
    return state_->progress_of(state_->rank_of(model, "couple::progress_of"));
}
void model::finish() {
    state_->finish();
}

void model::gather(const void *data, const std::array<std::int64_t, 3> &extents,
                   const std::array<std::int64_t, 3> &strides, std::size_t element, std::byte *into) {
    const auto *const from = static_cast<const std::byte *>(data);
    const auto bytes = static_cast<std::int64_t>(element);
    const bool is_dense = (extents[2] == 1 || strides[2] == 1) &&
                          (extents[1] == 1 || strides[1] == extents[2]) &&
                          (extents[0] == 1 || strides[0] == extents[1] * extents[2]);
    if (is_dense) {
        const std::int64_t size = extents[0] * extents[1] * extents[2] * bytes;
        if (size > 0) {
            std::memcpy(into, from, static_cast<std::size_t>(size));
        }
        return;
    }
    for (std::int64_t i = 0; i < extents[0]; ++i) {
        for (std::int64_t j = 0; j < extents[1]; ++j) {
            const std::byte *const row = from + (i * strides[0] + j * strides[1]) * bytes;
            if (strides[2] == 1) {
                std::memcpy(into, row, static_cast<std::size_t>(extents[2] * bytes));
                into += extents[2] * bytes;
                continue;
            }
            for (std::int64_t k = 0; k < extents[2]; ++k, into += bytes) {
                std::memcpy(into, row + k * strides[2] * bytes, element);
            }
        }
    }
}

void model::put(const std::string &field, const shape &what, std::vector<std::byte> values) {
    state_->put(field, what, std::move(values));
}

model::pieces model::get(const std::string &model, const std::string &field, std::size_t element,
                         element_kind kind, between rule) {
    const int from = state_->rank_of(model, "couple::read");
    auto found = state_->get(from, detail::state::number_of(field), rule);
    if (found.head.is_missing != 0) {
        throw std::runtime_error{"couple::read: '" + model + "' has finished without posting '" + field +
                                 "'"};
    }
    if (found.head.element != element || found.head.kind != static_cast<std::uint32_t>(kind)) {
        throw std::invalid_argument{"couple::read: the elements of '" + field + "' of '" + model + "' have " +
                                    std::to_string(found.head.element) +
                                    " bytes, or another type than is read here (" + std::to_string(element) +
                                    " bytes)"};
    }
    pieces made;
    made.extents = found.head.extents;
    made.weight = found.head.weight;
    const auto middle = found.bytes.begin() + static_cast<std::ptrdiff_t>(found.head.bytes);
    made.after.assign(middle, found.bytes.end());
    found.bytes.erase(middle, found.bytes.end());
    made.before = std::move(found.bytes);
    return made;
}

} // namespace lisle::couple
