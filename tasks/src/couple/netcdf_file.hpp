// SPDX-License-Identifier: Apache-2.0
// Files of netCDF, by its library. That is loaded when the first file is opened: programs that name none do
// not need it. Each rank has a copy of its own, so none waits for another; netCDF knows no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lisle::couple::detail {

/// An open file. What fails throws std::invalid_argument with a sentence that names the file.
class netcdf_file {
  public:
    enum class mode { read, update };
    netcdf_file(const std::string &path, mode how);
    /// A new file, which replaces another; its dimensions and variables are to be defined.
    /// @param bytes of its largest variable
    static netcdf_file create(const std::string &path, std::int64_t bytes);
    netcdf_file(netcdf_file &&other) noexcept;
    netcdf_file &operator=(netcdf_file &&) = delete;
    ~netcdf_file();
    /// What the end of the scope would keep to itself.
    void close();

    [[nodiscard]] std::int64_t dimension(const std::string &name) const;
    [[nodiscard]] bool has_variable(const std::string &name) const;
    /// Of the whole file; empty: there is none.
    [[nodiscard]] std::string attribute(const std::string &name) const;

    // The elements of a variable from `begin` on; of one with two dimensions the first of each row.

    void read(const std::string &variable, std::int64_t begin, std::span<long long> into) const;
    void read(const std::string &variable, std::int64_t begin, std::span<double> into) const;
    void write(const std::string &variable, std::int64_t begin, std::span<const long long> values);
    void write(const std::string &variable, std::int64_t begin, std::span<const double> values);

    void define_attribute(const std::string &name, const std::string &text);
    void define_dimension(const std::string &name, std::int64_t length);
    enum class element { integer, real };
    void define_variable(const std::string &name, element type, const std::vector<std::string> &dimensions);

    /// A sentence with what to install; empty: the library is there.
    [[nodiscard]] static std::string what_is_missing();

  private:
    netcdf_file(std::string path, int number) : path_{std::move(path)}, number_{number} {}
    void check(int result, const std::string &what) const;
    [[nodiscard]] int variable(const std::string &name) const;
    template <class Call, class Value>
    void access(const Call &call, const std::string &name, std::int64_t begin, std::span<Value> values) const;

    std::string path_;
    int number_; ///< negative: it is closed
};

} // namespace lisle::couple::detail
