// SPDX-License-Identifier: Apache-2.0
// The protocol of coupled models. Each model says when it has reached a time (once, to those it is connected
// with) and answers requests for values whenever it is in the library. Why nothing can deadlock: of all
// models that wait, take one with the least time t. It waits for others to reach t, or for values at t of
// another model. Such a model is at t or later, has said so before it waits itself, and has posted
// its values of that time before; so it can answer, and does: a model that waits answers.
#include <lisle/couple.hpp>

#include <exception>
#include <optional>

#include "task/coupling/fields.hpp"
#include "task/coupling/mail.hpp"
#include "task/coupling/neighbours.hpp"

namespace lisle::couple {

namespace detail {

// A communicator of its own, whose errors are returned.
class own_communicator {
  public:
    explicit own_communicator(MPI_Comm comm) {
        check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    own_communicator(const own_communicator &) = delete;
    own_communicator &operator=(const own_communicator &) = delete;
    ~own_communicator() {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized == 0) {
            MPI_Comm_free(&comm_);
        }
    }
    [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

namespace {

const settings &checked(const settings &how) {
    if (how.period < 1) {
        throw std::invalid_argument{"couple::model '" + how.name + "': a period of " +
                                    std::to_string(how.period) + "; it has to be 1 or more"};
    }
    return how;
}

} // namespace

class state {
  public:
    state(MPI_Comm comm, const settings &how)
        : period_{checked(how).period}, time_{how.offset}, comm_{comm}, mail_{comm_.get()},
          neighbours_{comm_.get(), how}, fields_{how.name} {}

    [[nodiscard]] ticks time() const noexcept { return time_; }
    [[nodiscard]] const neighbours &others() const noexcept { return neighbours_; }

    void advance() { time_ += period_; }

    void sync() {
        announce({message_kind::reached, 0, time_, 0, 0});
        wait_until_all_have_reached(time_);
        fields_.forget_before(std::min(time_, neighbours_.slowest()));
    }

    void post(const std::string &name, const shape &what, std::vector<std::byte> bytes) {
        fields_.post(name, what, time_, std::move(bytes));
        answer_pending();
        poll();
    }

    void request(int from, std::int32_t name, between rule) {
        if (!asked_.contains({from, name})) {
            asked_[{from, name}] = std::nullopt;
            mail_.send(from, {message_kind::request, name, time_, static_cast<std::uint32_t>(rule), 0});
        }
    }

    bool has(int from, std::int32_t name) {
        poll();
        const auto found = asked_.find({from, name});
        return found != asked_.end() && found->second.has_value();
    }

    values get(int from, std::int32_t name, between rule) {
        request(from, name, rule);
        while (!asked_.at({from, name})) {
            act_on(mail_.take());
        }
        values found = std::move(*asked_.at({from, name}));
        asked_.erase({from, name});
        return found;
    }

    void finish() {
        time_ = end_of_time;
        announce({message_kind::finished, 0, end_of_time, 0, 0});
        answer_pending();
        wait_until_all_have_reached(end_of_time);
        // Nobody asks any more; but a neighbour may still wait for a third model, and what it is sent has to
        // leave.
        announce({message_kind::goodbye, 0, 0, 0, 0});
        while (goodbyes_ < neighbours_.ranks().size()) {
            act_on(mail_.take());
        }
        mail_.wait_for_sends();
        is_finished_ = true;
    }
    [[nodiscard]] bool is_finished() const noexcept { return is_finished_; }

  private:
    void announce(const control &message) {
        for (const int other : neighbours_.ranks()) {
            mail_.send(other, message);
        }
    }
    void wait_until_all_have_reached(ticks when) {
        while (neighbours_.slowest() < when) {
            act_on(mail_.take());
        }
    }
    void poll() {
        while (auto next = mail_.try_take()) {
            act_on(std::move(*next));
        }
    }

    void act_on(letter got) {
        if (auto *const sent = std::get_if<values>(&got.says)) {
            take_values(got.from, std::move(*sent));
            return;
        }
        const control &told = std::get<control>(got.says);
        switch (told.kind) {
        case message_kind::reached:
        case message_kind::finished:
            neighbours_.has_reached(got.from, told.time);
            return;
        case message_kind::request:
            pending_.emplace_back(got.from, told);
            answer_pending();
            return;
        case message_kind::goodbye:
            ++goodbyes_;
            return;
        }
        throw std::runtime_error{"couple: an unknown message from model " + std::to_string(got.from)};
    }
    void take_values(int from, values sent) {
        const auto asked = asked_.find({from, sent.head.field});
        if (asked == asked_.end()) {
            throw std::runtime_error{"couple: values that nobody has asked for from model " +
                                     std::to_string(from)};
        }
        asked->second = std::move(sent);
    }

    void answer_pending() {
        std::erase_if(pending_, [this](const auto &each) {
            const auto &[to, asked] = each;
            const auto reply = fields_.answer(asked, time_);
            if (reply) {
                mail_.send(to, reply->head, reply->parts);
            }
            return reply.has_value();
        });
    }

    const ticks period_;
    ticks time_;
    const own_communicator comm_;
    mail mail_;
    neighbours neighbours_;
    fields fields_;
    std::vector<std::pair<int, control>> pending_; ///< requests whose values are not known yet
    std::map<std::pair<int, std::int32_t>, std::optional<values>> asked_;
    std::size_t goodbyes_ = 0;
    bool is_finished_ = false;
};

} // namespace detail

model::model(MPI_Comm comm, const settings &how) : state_{std::make_unique<detail::state>(comm, how)} {}
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
    state_->request(state_->others().rank_of(model, "couple::request"), detail::fields::number_of(field),
                    between::linear);
}
bool model::has(const std::string &model, const std::string &field) {
    return state_->has(state_->others().rank_of(model, "couple::has"), detail::fields::number_of(field));
}
progress model::progress_of(const std::string &model) const {
    const detail::neighbours &others = state_->others();
    const ticks reached = others.reached_by(others.rank_of(model, "couple::progress_of"));
    return {reached, reached == end_of_time};
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

void model::put(const std::string &field, const detail::shape &what, std::vector<std::byte> values) {
    state_->post(field, what, std::move(values));
}

model::pieces model::get(const std::string &model, const std::string &field, std::size_t element,
                         detail::element_kind kind, between rule) {
    const int from = state_->others().rank_of(model, "couple::read");
    auto found = state_->get(from, detail::fields::number_of(field), rule);
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
