// SPDX-License-Identifier: Apache-2.0
// The fields that one model has posted: their values by time, and the choice of values that answer a request.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "task/coupling/mail.hpp"

namespace lisle::couple::detail {

class fields {
  public:
    explicit fields(std::string model) : model_{std::move(model)} {}

    /// A field's number is a hash of its name: equal in all models without an agreement.
    [[nodiscard]] static std::int32_t number_of(const std::string &name) noexcept;

    /// Throws std::logic_error if the field has values of this time or a later one, or others of another
    /// type or shape.
    void post(const std::string &name, const shape &what, ticks time, std::vector<std::byte> bytes);

    struct reply {
        values_head head{};
        std::vector<shared_bytes> parts;
    };
    /// The answer of a model at time `now` (end_of_time: it has finished) to a request, if there is one yet.
    [[nodiscard]] std::optional<reply> answer(const control &asked, ticks now) const;

    /// No further request is for an earlier time. Keeps the last values up to this time, and later ones.
    void forget_before(ticks slowest);

  private:
    struct field {
        shape what{};
        std::map<ticks, shared_bytes> values;
    };

    const std::string model_;
    std::map<std::int32_t, field> fields_;
};

} // namespace lisle::couple::detail
