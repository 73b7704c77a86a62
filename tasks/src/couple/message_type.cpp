// SPDX-License-Identifier: Apache-2.0
#include "couple/message_type.hpp"

#include <utility>

#include <lisle/detail/error.hpp>

namespace lisle::couple::detail {

namespace {

using lisle::detail::check;

/// A step on the way to a type: frees what it was made of.
class made_type {
  public:
    explicit made_type(MPI_Datatype handle, bool own) noexcept : handle_{handle}, own_{own} {}
    made_type(made_type &&other) noexcept : handle_{other.handle_}, own_{std::exchange(other.own_, false)} {}
    made_type &operator=(made_type &&) = delete;
    ~made_type() {
        if (own_) {
            MPI_Type_free(&handle_);
        }
    }
    [[nodiscard]] MPI_Datatype handle() const noexcept { return handle_; }

  private:
    MPI_Datatype handle_;
    bool own_;
};

MPI_Count extent_of(MPI_Datatype type) {
    MPI_Count lower = 0, extent = 0;
    check(MPI_Type_get_extent_c(type, &lower, &extent), "MPI_Type_get_extent_c");
    return extent;
}

/// An element, with the distance from one place to the next as its extent.
made_type spaced_element(const field_place &field) {
    if (field.point_stride == 1) {
        return made_type{field.type, false};
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check(MPI_Type_create_resized_c(field.type, 0, field.point_stride * extent_of(field.type), &made),
          "MPI_Type_create_resized_c");
    return made_type{made, true};
}

/// One level of the points.
made_type level_of(const field_place &field, const std::vector<point_run> &runs) {
    const made_type element = spaced_element(field);
    const MPI_Count distance = extent_of(element.handle());
    std::vector<MPI_Count> lengths, displacements;
    for (const point_run &each : runs) {
        lengths.push_back(each.count);
        displacements.push_back(each.local * distance);
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check(MPI_Type_create_hindexed_c(static_cast<MPI_Count>(runs.size()), lengths.data(),
                                     displacements.data(), element.handle(), &made),
          "MPI_Type_create_hindexed_c");
    return made_type{made, true};
}

made_type all_levels_of(const field_place &field, const std::vector<point_run> &runs, std::int64_t places) {
    made_type level = level_of(field, runs);
    if (field.levels == 1) {
        return level;
    }
    const std::int64_t stride = field.level_stride != 0 ? field.level_stride : places * field.point_stride;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check(MPI_Type_create_hvector_c(field.levels, 1, stride * extent_of(field.type), level.handle(), &made),
          "MPI_Type_create_hvector_c");
    return made_type{made, true};
}

} // namespace

message_type::message_type(const std::vector<field_place> &fields, const route &points, std::int64_t places) {
    std::vector<made_type> parts;
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Count> displacements;
    const std::vector<MPI_Count> lengths(fields.size(), 1);
    for (const field_place &each : fields) {
        parts.push_back(all_levels_of(each, points.runs, places));
        types.push_back(parts.back().handle());
        MPI_Aint address = 0;
        check(MPI_Get_address(each.data, &address), "MPI_Get_address");
        displacements.push_back(address);
    }
    check(MPI_Type_create_struct_c(static_cast<MPI_Count>(fields.size()), lengths.data(),
                                   displacements.data(), types.data(), &handle_),
          "MPI_Type_create_struct_c");
    check(MPI_Type_commit(&handle_), "MPI_Type_commit");
}

message_type::message_type(message_type &&other) noexcept
    : handle_{std::exchange(other.handle_, MPI_DATATYPE_NULL)} {}

message_type::~message_type() {
    if (handle_ != MPI_DATATYPE_NULL) {
        MPI_Type_free(&handle_);
    }
}

} // namespace lisle::couple::detail
