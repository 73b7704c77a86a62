// SPDX-License-Identifier: Apache-2.0
// The forms that data can have in a file [MPI-5.0 14.5]: as in memory ("native", and "internal", which is the
// same here), portable ("external32"), or defined by functions of the program (MPI_Register_datarep).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.hpp"
#include "datatype/typed_buffer.hpp"
#include "mpi.h"

namespace lisle::file {

/// The functions of a form that the program has registered: null where nothing is to be converted.
struct conversion_functions {
    MPI_Datarep_conversion_function_c *read = nullptr, *write = nullptr;
    /// The same in the form whose counts are ints; used where the other is null.
    MPI_Datarep_conversion_function *small_read = nullptr, *small_write = nullptr;
    MPI_Datarep_extent_function *extent = nullptr;
    void *state = nullptr;
};

/// One form. Lasts as long as its rank.
class representation {
  public:
    enum class kind { native, external32, registered };
    representation(std::string name, kind what, const conversion_functions &functions = {})
        : name_{std::move(name)}, kind_{what}, functions_{functions} {}

    [[nodiscard]] static const representation &native();
    /// The form with this name. Throws MPI_ERR_UNSUPPORTED_DATAREP if there is none.
    [[nodiscard]] static const representation &named(std::string_view name);
    /// MPI_Register_datarep, for the calling rank. Throws MPI_ERR_DUP_DATAREP if there is one of this name.
    static void add(std::string_view name, const conversion_functions &functions);

    [[nodiscard]] const std::string &name() const noexcept { return name_; }
    /// True if data in memory and in the file differ.
    [[nodiscard]] bool converts() const noexcept { return kind_ != kind::native; }

    /// A type with the layout that data of `type` have in the file. Displacements in bytes stay as they are,
    /// all others are counted in elements of the file. [MPI-5.0 14.5]
    [[nodiscard]] ref<const datatype> type_in_file(const datatype &type) const;
    /// Bytes from one element to the next in the file.
    [[nodiscard]] MPI_Count extent_in_file(const datatype &type) const;
    /// Bytes of one element in the file.
    [[nodiscard]] MPI_Count size_in_file(const datatype &type) const;

    /// The bytes that the file is to have. @pre converts()
    [[nodiscard]] std::vector<std::byte> to_file(const typed_buffer &from) const;
    /// Stores the data of the file, which may be fewer elements than `to` has room for. Returns the bytes of
    /// data stored. @pre converts()
    [[nodiscard]] MPI_Count to_memory(std::span<const std::byte> from, const typed_buffer &to) const;

  private:
    /// Of one element of a predefined type.
    [[nodiscard]] MPI_Count size_of(const predefined_facts &facts) const;
    [[nodiscard]] bool keeps_sizes(const datatype &type) const;
    [[nodiscard]] type_part part_in_file(const datatype &type) const;
    [[nodiscard]] type_part derived_part(const datatype &type) const;
    /// Throws if an element has another size in the file, and there is no function that makes it so.
    void check_unconverted(const datatype &type, MPI_Count in_file) const;

    std::string name_;
    kind kind_;
    conversion_functions functions_;
};

} // namespace lisle::file
