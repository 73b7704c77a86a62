// SPDX-License-Identifier: Apache-2.0
// Files that all ranks of a communicator read and write, each for itself or all together.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

// First: what the compiler says begins with the way to the file.
#include "lisle/datatype/transfer.hpp"

#include "lisle/communicator.hpp"
#include "lisle/info.hpp"
#include "lisle/request/request.hpp"

namespace lisle {

/// A part of an array that a file holds whole, with the last index running fastest, as in C++.
///
///     lisle::block<2> own{.whole = {100, 60}, .part = {50, 60}, .first = {50 * rank, 0}};
template <std::size_t Rank> struct block {
    std::array<std::size_t, Rank> whole; ///< elements of the array in each dimension
    std::array<std::size_t, Rank> part;  ///< elements of the part
    std::array<std::size_t, Rank> first; ///< where in the array the part begins
};

/// Of elements that have no datatype, which the compiler says.
template <class T> class file {
    static_assert((detail::explain_no_datatype<T>(), true));

  public:
    template <class... Arguments> explicit file(Arguments &&...);
    template <class... Arguments> static file create(Arguments &&...);
    template <class... Arguments> static file update(Arguments &&...);
};

/// A file of `T`s, one behind the other, as they lie in memory. Opening and closing (at the end of the scope)
/// is collective, and so are the calls whose names end in `_all`, show(), resize() and sync(); the file can
/// only be moved. Places are indices of elements, in what show() has chosen to see.
///
///     auto field = lisle::file<double>::create(world, "field.bin");
///     field.write_all(100 * rank, own);            // all ranks together, each its part
///     field.sync();                                // who reads sees what others have written
///     auto first = field.read(0, 100);             // this rank alone
///
/// Calls throw `error` where the system refuses, of the classes MPI_ERR_NO_SUCH_FILE, MPI_ERR_ACCESS and
/// their kin. Any thread may call as MPI's level of threads allows. [MPI-5.0 14]
template <direct T> class file<T> {
  public:
    using value_type = T;

    /// Opens a file that exists, for reading.
    file(const communicator &comm, const std::string &path, const info &hints = {})
        : file{comm, path, MPI_MODE_RDONLY, hints} {}
    /// Makes a file, or empties one that exists, for reading and writing.
    [[nodiscard]] static file create(const communicator &comm, const std::string &path,
                                     const info &hints = {}) {
        file made{comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE, hints};
        made.resize(0);
        return made;
    }
    /// Opens a file for reading and writing, which keeps what it holds; makes it if there is none.
    [[nodiscard]] static file update(const communicator &comm, const std::string &path,
                                     const info &hints = {}) {
        return file{comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE, hints};
    }
    file(file &&other) noexcept
        : handle_{std::exchange(other.handle_, MPI_FILE_NULL)}, element_{std::move(other.element_)},
          shown_{std::move(other.shown_)} {}
    file &operator=(file &&other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(element_, other.element_);
        std::swap(shown_, other.shown_);
        return *this;
    }
    file(const file &) = delete;
    file &operator=(const file &) = delete;
    ~file() {
        if (handle_ != MPI_FILE_NULL && detail::may_free())
            MPI_File_close(&handle_);
    }
    /// Closes the file before the end of the scope. @throws error what the scope's end would keep to itself
    void close() { detail::check(MPI_File_close(&handle_), "MPI_File_close"); }

    /// The handle, for calls of C.
    [[nodiscard]] MPI_File native() const noexcept { return handle_; }

    /// How many whole elements the file holds, whatever is shown.
    [[nodiscard]] std::size_t size() const {
        MPI_Offset bytes = 0;
        detail::check(MPI_File_get_size(handle_, &bytes), "MPI_File_get_size");
        return static_cast<std::size_t>(bytes) / sizeof(T);
    }
    /// Cuts the file, or makes it longer by elements of any value. Collective.
    void resize(std::size_t count) {
        detail::check(MPI_File_set_size(handle_, static_cast<MPI_Offset>(count * sizeof(T))),
                      "MPI_File_set_size");
    }
    /// What this rank has written is in the file, and what others have written before their sync() can be
    /// read. Collective.
    void sync() { detail::check(MPI_File_sync(handle_), "MPI_File_sync"); }

    /// Shows this rank a part of the array that the file holds: its elements alone have indices, from 0 on.
    /// Collective; each rank chooses its own.
    template <std::size_t Rank> void show(const block<Rank> &part) {
        std::array<MPI_Count, Rank> whole{}, own{}, first{};
        for (std::size_t at = 0; at != Rank; ++at) {
            whole[at] = static_cast<MPI_Count>(part.whole[at]);
            own[at] = static_cast<MPI_Count>(part.part[at]);
            first[at] = static_cast<MPI_Count>(part.first[at]);
        }
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_subarray_c(static_cast<int>(Rank), whole.data(), own.data(),
                                                 first.data(), MPI_ORDER_C, element_.native(), &made),
                      "MPI_Type_create_subarray_c");
        owned<datatype> shown = committed(made);
        view(shown.native());
        shown_ = std::move(shown);
    }
    /// Shows this rank the whole file again. Collective.
    void show_all() {
        view(element_.native());
        shown_.reset();
    }

    /// Writes elements from index `at` on.
    void write(std::size_t at, std::span<const T> values) {
        detail::check(MPI_File_write_at_c(handle_, offset(at), values.data(), count(values),
                                          element_.native(), MPI_STATUS_IGNORE),
                      "MPI_File_write_at_c", named_value{"at", static_cast<long long>(at)});
    }
    /// Reads elements from index `at` on. @return how many there were: fewer at the file's end
    std::size_t read(std::size_t at, std::span<T> into) const {
        lisle::status status;
        detail::check(MPI_File_read_at_c(handle_, offset(at), into.data(), count(into), element_.native(),
                                         status.native()),
                      "MPI_File_read_at_c", named_value{"at", static_cast<long long>(at)});
        return elements(status);
    }
    /// At most `most` elements from index `at` on, as many as there are.
    [[nodiscard]] std::vector<T> read(std::size_t at, std::size_t most) const {
        std::vector<T> values(most);
        values.resize(read(at, std::span<T>{values}));
        return values;
    }

    /// write() of all ranks together, which is faster where they write next to each other. Collective.
    void write_all(std::size_t at, std::span<const T> values) {
        detail::check(MPI_File_write_at_all_c(handle_, offset(at), values.data(), count(values),
                                              element_.native(), MPI_STATUS_IGNORE),
                      "MPI_File_write_at_all_c", named_value{"at", static_cast<long long>(at)});
    }
    /// read() of all ranks together. Collective.
    std::size_t read_all(std::size_t at, std::span<T> into) const {
        lisle::status status;
        detail::check(MPI_File_read_at_all_c(handle_, offset(at), into.data(), count(into), element_.native(),
                                             status.native()),
                      "MPI_File_read_at_all_c", named_value{"at", static_cast<long long>(at)});
        return elements(status);
    }
    [[nodiscard]] std::vector<T> read_all(std::size_t at, std::size_t most) const {
        std::vector<T> values(most);
        values.resize(read_all(at, std::span<T>{values}));
        return values;
    }

    /// Writes the elements of rank 0, then those of rank 1 and so on, behind what has been written by this
    /// call before. Collective, and all must be shown the same.
    void append_all(std::span<const T> values) {
        detail::check(MPI_File_write_ordered_c(handle_, values.data(), count(values), element_.native(),
                                               MPI_STATUS_IGNORE),
                      "MPI_File_write_ordered_c");
    }

    /// Begins to write; what is lent must stay as it is until the request is complete.
    template <class R> [[nodiscard]] request iwrite(std::size_t at, borrowed<R> values) {
        const std::span<const T> lent{values.get()};
        MPI_Request begun = MPI_REQUEST_NULL;
        detail::check(
            MPI_File_iwrite_at_c(handle_, offset(at), lent.data(), count(lent), element_.native(), &begun),
            "MPI_File_iwrite_at_c", named_value{"at", static_cast<long long>(at)});
        return request{begun};
    }
    /// Begins to read into what is lent.
    template <class R> [[nodiscard]] request iread(std::size_t at, borrowed<R> into) const {
        const std::span<T> lent{into.get()};
        MPI_Request begun = MPI_REQUEST_NULL;
        detail::check(
            MPI_File_iread_at_c(handle_, offset(at), lent.data(), count(lent), element_.native(), &begun),
            "MPI_File_iread_at_c", named_value{"at", static_cast<long long>(at)});
        return request{begun};
    }

  private:
    file(const communicator &comm, const std::string &path, int mode, const info &hints) {
        // Gaps between the fields of a T are written, too: else the last one would not be whole.
        MPI_Datatype bytes = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_contiguous_c(sizeof(T), MPI_BYTE, &bytes), "MPI_Type_contiguous_c");
        element_ = committed(bytes);
        detail::check(MPI_File_open(comm.native(), path.c_str(), mode, hints.native(), &handle_),
                      "MPI_File_open");
        view(element_.native());
    }

    static owned<datatype> committed(MPI_Datatype made) {
        owned<datatype> type;
        type.reset(made);
        detail::check(MPI_Type_commit(&made), "MPI_Type_commit");
        return type;
    }
    static MPI_Offset offset(std::size_t at) noexcept { return static_cast<MPI_Offset>(at); }
    static MPI_Count count(std::span<const T> values) noexcept {
        return static_cast<MPI_Count>(values.size());
    }
    [[nodiscard]] std::size_t elements(const lisle::status &of) const {
        MPI_Count read = 0;
        detail::check(MPI_Get_count_c(of.native(), element_.native(), &read), "MPI_Get_count_c");
        return static_cast<std::size_t>(read);
    }
    void view(MPI_Datatype shown) {
        detail::check(MPI_File_set_view(handle_, 0, element_.native(), shown, "native", MPI_INFO_NULL),
                      "MPI_File_set_view");
    }

    MPI_File handle_ = MPI_FILE_NULL;
    owned<datatype> element_;
    owned<datatype> shown_; ///< kept for as long as the file shows it
};

} // namespace lisle
