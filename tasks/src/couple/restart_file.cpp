// SPDX-License-Identifier: Apache-2.0
#include "couple/restart_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "couple/elements.hpp"

namespace lisle::couple::detail {

namespace {

/// How a file begins. Numbers lie as in memory, so the mark holds one that tells their order.
struct file_head {
    std::array<char, 16> mark{'l', 'i', 's', 'l', 'e', ' ', 'r', 'e',
                              's', 't', 'a', 'r', 't', ' ', '1', '\n'};
    std::int64_t order = 0x0102030405060708;
    std::int64_t header_bytes = 0;
    std::int64_t whole_bytes = 0; ///< of the file; 0: it was never closed
};
constexpr std::int64_t alignment = 64;
constexpr std::int64_t most_header_bytes = std::int64_t{1} << 30;

constexpr std::int64_t rounded_up(std::int64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

/// Points that follow each other in the grid, and where they lie among the caller's bytes.
struct stretch {
    global_index first;
    std::int64_t count, before; ///< points of the stretches before
};

/// In ascending order, none overlapping another, however the caller's runs lie.
std::vector<stretch> stretches_of(std::vector<point_run> runs) {
    std::ranges::sort(runs, {}, &point_run::global);
    std::vector<stretch> all;
    for (const point_run &each : runs) {
        const global_index end = all.empty() ? 0 : all.back().first + all.back().count;
        if (all.empty() || each.global > end) {
            all.push_back({each.global, each.count, 0});
        } else {
            all.back().count += std::max<std::int64_t>(each.global + each.count - end, 0);
        }
    }
    for (std::size_t at = 1; at < all.size(); ++at) {
        all[at].before = all[at - 1].before + all[at - 1].count;
    }
    return all;
}

std::int64_t points_of(const std::vector<stretch> &all) {
    return all.empty() ? 0 : all.back().before + all.back().count;
}

std::int64_t place_of(const std::vector<stretch> &all, global_index point) {
    const auto after = std::ranges::upper_bound(all, point, {}, &stretch::first);
    const stretch &in = *(after - 1);
    return in.before + point - in.first;
}

/// Calls copy(bytes of the packed field, element, bytes) for all elements of the caller.
template <class Copy> void for_elements(const decomposition &points, const field_place &field,
                                        const std::vector<stretch> &packed, const Copy &copy) {
    const std::size_t bytes = size_of(field.type);
    const std::int64_t all = points_of(packed);
    for (std::int64_t level = 0; level != field.levels; ++level) {
        for (const point_run &each : points.runs()) {
            std::int64_t place = level * all + place_of(packed, each.global);
            for (std::int64_t at = 0; at != each.count; ++at, ++place) {
                copy(static_cast<std::size_t>(place) * bytes,
                     element_at(field, bytes, points.places(), each.local + at, level), bytes);
            }
        }
    }
}

/// The caller's part of a field in a file. @param element_bytes of one point on one level
MPI_Datatype part_of_file(const std::vector<stretch> &stretches, std::int64_t grid_points,
                          std::int64_t levels, std::int64_t element_bytes) {
    std::vector<MPI_Count> lengths, places;
    for (std::int64_t level = 0; level != levels; ++level) {
        for (const stretch &each : stretches) {
            lengths.push_back(each.count * element_bytes);
            places.push_back((level * grid_points + each.first) * element_bytes);
        }
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    lisle::detail::check(MPI_Type_create_hindexed_c(static_cast<MPI_Count>(lengths.size()), lengths.data(),
                                                    places.data(), MPI_BYTE, &made),
                         "MPI_Type_create_hindexed_c");
    lisle::detail::check(MPI_Type_commit(&made), "MPI_Type_commit");
    return made;
}

} // namespace

restart_file::restart_file(MPI_Comm ranks, std::string path, std::string opened_path, int mode)
    : ranks_{ranks}, path_{std::move(path)},
      opened_path_{std::move(opened_path)}, is_new_{(mode & MPI_MODE_CREATE) != 0} {
    check(MPI_File_open(ranks, opened_path_.c_str(), mode, MPI_INFO_NULL, &handle_), "be opened");
}

restart_file restart_file::create(MPI_Comm ranks, const std::string &path, const std::string &header) {
    restart_file made{ranks, path, path + ".part", MPI_MODE_CREATE | MPI_MODE_WRONLY};
    made.write_header(header);
    return made;
}

restart_file restart_file::open(MPI_Comm ranks, const std::string &path) {
    restart_file made{ranks, path, path, MPI_MODE_RDONLY};
    made.read_header();
    return made;
}

restart_file::restart_file(restart_file &&other) noexcept
    : ranks_{other.ranks_}, path_{std::move(other.path_)}, opened_path_{std::move(other.opened_path_)},
      header_{std::move(other.header_)}, wrong_{std::move(other.wrong_)},
      handle_{std::exchange(other.handle_, MPI_FILE_NULL)}, at_{other.at_}, is_new_{other.is_new_} {}

restart_file::~restart_file() {
    if (handle_ != MPI_FILE_NULL) {
        MPI_File_close(&handle_);
    }
}

void restart_file::fail(const std::string &sentence) {
    if (wrong_.empty()) {
        wrong_ = "the restart file \"" + path_ + "\" " + sentence;
    }
}

void restart_file::check(int code, const char *what) {
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    fail(std::string{"could not "} + what + ": " +
         std::string(text.data(), static_cast<std::size_t>(length)));
}

void restart_file::write_header(const std::string &header) {
    header_ = header;
    if (handle_ == MPI_FILE_NULL) {
        return;
    }
    at_ = rounded_up(static_cast<std::int64_t>(sizeof(file_head) + header.size()));
    check(MPI_File_set_size(handle_, 0), "be emptied");
    if (ranks_.rank() == 0) {
        check(MPI_File_write_at_c(handle_, sizeof(file_head), header.data(),
                                  static_cast<MPI_Count>(header.size()), MPI_BYTE, MPI_STATUS_IGNORE),
              "be written");
    }
}

void restart_file::read_header() {
    if (handle_ == MPI_FILE_NULL) {
        return;
    }
    const file_head expected;
    file_head head;
    MPI_Offset size = 0;
    check(MPI_File_get_size(handle_, &size), "be measured");
    if (size >= static_cast<MPI_Offset>(sizeof head)) {
        check(MPI_File_read_at_all(handle_, 0, &head, sizeof head, MPI_BYTE, MPI_STATUS_IGNORE), "be read");
    }
    if (size < static_cast<MPI_Offset>(sizeof head) || head.mark != expected.mark) {
        fail("is no restart file");
    } else if (head.order != expected.order) {
        fail("was written by a machine with another order of bytes");
    } else if (head.whole_bytes != size || head.header_bytes < 0 || head.header_bytes > most_header_bytes ||
               head.header_bytes > size - static_cast<MPI_Offset>(sizeof head)) {
        fail("is not whole: it has " + std::to_string(size) + " bytes of " +
             std::to_string(head.whole_bytes));
    }
    if (!wrong_.empty()) {
        return;
    }
    header_.resize(static_cast<std::size_t>(head.header_bytes));
    check(MPI_File_read_at_all_c(handle_, sizeof head, header_.data(), head.header_bytes, MPI_BYTE,
                                 MPI_STATUS_IGNORE),
          "be read");
    at_ = rounded_up(static_cast<std::int64_t>(sizeof head) + head.header_bytes);
}

void restart_file::write(const decomposition &points, const field_place &field) {
    move(points, field, true);
}
void restart_file::read(const decomposition &points, const field_place &field) {
    move(points, field, false);
}

void restart_file::move(const decomposition &points, const field_place &field, bool writes) {
    if (handle_ == MPI_FILE_NULL) {
        return;
    }
    const std::vector<stretch> stretches = stretches_of(points.runs());
    const auto element_bytes = static_cast<std::int64_t>(size_of(field.type));
    std::vector<std::byte> packed(
        static_cast<std::size_t>(points_of(stretches) * field.levels * element_bytes));
    MPI_Datatype part = part_of_file(stretches, points.grid_points(), field.levels, element_bytes);
    check(MPI_File_set_view(handle_, at_, MPI_BYTE, stretches.empty() ? MPI_BYTE : part, "native",
                            MPI_INFO_NULL),
          "be viewed");
    MPI_Type_free(&part);
    if (writes) {
        for_elements(points, field, stretches,
                     [&](std::size_t at, const std::byte *element, std::size_t bytes) {
                         std::memcpy(packed.data() + at, element, bytes);
                     });
        check(MPI_File_write_all_c(handle_, packed.data(), static_cast<MPI_Count>(packed.size()), MPI_BYTE,
                                   MPI_STATUS_IGNORE),
              "be written");
    } else {
        check(MPI_File_read_all_c(handle_, packed.data(), static_cast<MPI_Count>(packed.size()), MPI_BYTE,
                                  MPI_STATUS_IGNORE),
              "be read");
        for_elements(points, field, stretches, [&](std::size_t at, std::byte *element, std::size_t bytes) {
            std::memcpy(element, packed.data() + at, bytes);
        });
    }
    at_ += rounded_up(points.grid_points() * field.levels * element_bytes);
}

void restart_file::close() {
    if (handle_ == MPI_FILE_NULL) {
        return;
    }
    if (is_new_) {
        check(MPI_File_set_size(handle_, at_), "get its size");
        check(MPI_File_set_view(handle_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "be viewed");
        if (ranks_.rank() == 0) {
            file_head head;
            head.header_bytes = static_cast<std::int64_t>(header_.size());
            head.whole_bytes = at_;
            check(MPI_File_write_at(handle_, 0, &head, sizeof head, MPI_BYTE, MPI_STATUS_IGNORE),
                  "be written");
        }
        check(MPI_File_sync(handle_), "be written");
    }
    check(MPI_File_close(&handle_), "be closed");
}

void restart_file::keep() {
    if (ranks_.rank() == 0 && std::rename(opened_path_.c_str(), path_.c_str()) != 0) {
        fail(std::string{"could not get its name: "} + std::strerror(errno));
    }
}

} // namespace lisle::couple::detail
