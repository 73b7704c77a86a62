// SPDX-License-Identifier: Apache-2.0
#include "couple/netcdf_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "couple/netcdf_library.hpp"
#include "couple/rejection.hpp"

namespace lisle::couple::detail {

namespace {

const netcdf_library &library() {
    const netcdf_library *const all = netcdf_library::loaded();
    if (all == nullptr) {
        reject(netcdf_library::how_to_install());
    }
    return *all;
}

} // namespace

netcdf_file::netcdf_file(const std::string &path, mode how) : path_{path}, number_{-1} {
    int number = -1;
    check(library().open(path.c_str(),
                         how == mode::read ? netcdf_library::read_only : netcdf_library::writable, &number),
          "it cannot be opened");
    number_ = number;
}

netcdf_file netcdf_file::create(const std::string &path, std::int64_t bytes) {
    // The older form, which more programs read, has variables of less than 4 GiB.
    const bool is_large = bytes > std::int64_t{0xffff'fff0};
    netcdf_file made{path, -1};
    int number = -1;
    made.check(library().create(path.c_str(),
                                is_large ? netcdf_library::large_data : netcdf_library::large_offsets,
                                &number),
               "it cannot be made");
    made.number_ = number;
    return made;
}

netcdf_file::netcdf_file(netcdf_file &&other) noexcept
    : path_{std::move(other.path_)}, number_{std::exchange(other.number_, -1)} {}

netcdf_file::~netcdf_file() {
    if (number_ >= 0) {
        library().close(number_);
    }
}

void netcdf_file::close() {
    check(library().close(std::exchange(number_, -1)), "it cannot be closed");
}

void netcdf_file::check(int result, const std::string &what) const {
    if (result != 0) {
        reject(path_ + ": " + what + ": " + library().error_text(result));
    }
}

std::int64_t netcdf_file::dimension(const std::string &name) const {
    int number = -1;
    std::size_t length = 0;
    check(library().find_dimension(number_, name.c_str(), &number), "the dimension " + name);
    check(library().length_of(number_, number, &length), "the dimension " + name);
    return static_cast<std::int64_t>(length);
}

bool netcdf_file::has_variable(const std::string &name) const {
    int number = -1;
    return library().find_variable(number_, name.c_str(), &number) == 0;
}

int netcdf_file::variable(const std::string &name) const {
    int number = -1;
    check(library().find_variable(number_, name.c_str(), &number), "the variable " + name);
    return number;
}

std::string netcdf_file::attribute(const std::string &name) const {
    std::size_t length = 0;
    if (library().attribute_length(number_, netcdf_library::whole_file, name.c_str(), &length) != 0) {
        return {};
    }
    std::string text(length, '\0');
    check(library().get_text_attribute(number_, netcdf_library::whole_file, name.c_str(), text.data()),
          "the attribute " + name);
    return text;
}

template <class Call, class Value> void netcdf_file::access(const Call &call, const std::string &name,
                                                            std::int64_t begin,
                                                            std::span<Value> values) const {
    const int number = variable(name);
    constexpr int most = 2;
    int dimensions = 0;
    check(library().dimensions_of(number_, number, &dimensions), "the variable " + name);
    if (dimensions < 1 || dimensions > most) {
        reject(path_ + ": the variable " + name + " has " + std::to_string(dimensions) +
               " dimensions, not 1 or 2");
    }
    const std::array<std::size_t, most> first{static_cast<std::size_t>(begin), 0}, count{values.size(), 1};
    check(call(number_, number, first.data(), count.data(), values.data()), "the variable " + name);
}

void netcdf_file::read(const std::string &variable, std::int64_t begin, std::span<long long> into) const {
    access(library().get_integers, variable, begin, into);
}
void netcdf_file::read(const std::string &variable, std::int64_t begin, std::span<double> into) const {
    access(library().get_reals, variable, begin, into);
}
void netcdf_file::write(const std::string &variable, std::int64_t begin, std::span<const long long> values) {
    access(library().put_integers, variable, begin, values);
}
void netcdf_file::write(const std::string &variable, std::int64_t begin, std::span<const double> values) {
    access(library().put_reals, variable, begin, values);
}

void netcdf_file::define_attribute(const std::string &name, const std::string &text) {
    check(library().put_text_attribute(number_, netcdf_library::whole_file, name.c_str(), text.size(),
                                       text.c_str()),
          "the attribute " + name);
}

void netcdf_file::define_dimension(const std::string &name, std::int64_t length) {
    int number = -1;
    check(library().define_dimension(number_, name.c_str(), static_cast<std::size_t>(length), &number),
          "the dimension " + name);
}

void netcdf_file::define_variable(const std::string &name, element type,
                                  const std::vector<std::string> &dimensions) {
    std::vector<int> numbers(dimensions.size(), -1);
    for (std::size_t at = 0; at != dimensions.size(); ++at) {
        check(library().find_dimension(number_, dimensions[at].c_str(), &numbers[at]),
              "the dimension " + dimensions[at]);
    }
    int number = -1;
    check(library().define_variable(number_, name.c_str(),
                                    type == element::integer ? netcdf_library::integer32
                                                             : netcdf_library::real64,
                                    static_cast<int>(numbers.size()), numbers.data(), &number),
          "the variable " + name);
}

std::string netcdf_file::what_is_missing() {
    return netcdf_library::loaded() == nullptr ? netcdf_library::how_to_install() : std::string{};
}

} // namespace lisle::couple::detail
