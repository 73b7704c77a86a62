// SPDX-License-Identifier: Apache-2.0
// What one model has posted: values of fields by time, and which of them answer a request.
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
    /// What a model that has come to `now` (end_of_time: it has finished) says to a request, if it knows.
    [[nodiscard]] std::optional<reply> answer(const control &asked, ticks now) const;

    /// Nobody asks for a time before this one any more. The last values that are not after it stay.
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
