// SPDX-License-Identifier: Apache-2.0
#include "task/coupling/mail.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace lisle::couple::detail {

namespace {

constexpr int control_tag = 0, values_tag = 1;

template <class Plain> shared_bytes bytes_of(const Plain &object) {
    std::vector<std::byte> bytes(sizeof object);
    std::memcpy(bytes.data(), &object, sizeof object);
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

[[noreturn]] void refuse(int from, const std::string &what) {
    throw std::runtime_error{"couple: " + what + " from model " + std::to_string(from)};
}

// A datatype of byte arrays where they are.
class gathered {
  public:
    explicit gathered(const std::vector<shared_bytes> &parts) {
        std::vector<MPI_Count> lengths, places;
        for (const auto &part : parts) {
            MPI_Aint address = 0;
            MPI_Get_address(part->data(), &address);
            lengths.push_back(static_cast<MPI_Count>(part->size()));
            places.push_back(static_cast<MPI_Count>(address));
        }
        check(MPI_Type_create_hindexed_c(static_cast<MPI_Count>(parts.size()), lengths.data(), places.data(),
                                         MPI_BYTE, &type_),
              "MPI_Type_create_hindexed");
        MPI_Type_commit(&type_);
    }
    gathered(const gathered &) = delete;
    gathered &operator=(const gathered &) = delete;
    ~gathered() { MPI_Type_free(&type_); }
    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

control control_of(int from, const std::vector<std::byte> &bytes) {
    control told{};
    if (bytes.size() != sizeof told) {
        refuse(from,
               "a message of " + std::to_string(bytes.size()) + " bytes that is none of the protocol's");
    }
    std::memcpy(&told, bytes.data(), sizeof told);
    return told;
}

values values_of(int from, std::vector<std::byte> bytes) {
    values got;
    if (bytes.size() < sizeof got.head) {
        refuse(from, "values that end too early");
    }
    std::memcpy(&got.head, bytes.data(), sizeof got.head);
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(sizeof got.head));
    if (bytes.size() != got.head.bytes * (got.head.has_after != 0 ? 2 : 1)) {
        refuse(from, "values of a wrong size");
    }
    got.bytes = std::move(bytes);
    return got;
}

} // namespace

void mail::send(int to, const control &message) {
    shared_bytes bytes = bytes_of(message);
    MPI_Request request;
    check(MPI_Isend_c(bytes->data(), static_cast<MPI_Count>(bytes->size()), MPI_BYTE, to, control_tag, comm_,
                      &request),
          "MPI_Isend");
    keep(request, {std::move(bytes)});
}

void mail::send(int to, const values_head &head, std::span<const shared_bytes> values) {
    std::vector<shared_bytes> parts{bytes_of(head)};
    parts.insert(parts.end(), values.begin(), values.end());
    const gathered all{parts};
    MPI_Request request;
    check(MPI_Isend(MPI_BOTTOM, 1, all.type(), to, values_tag, comm_, &request), "MPI_Isend");
    keep(request, std::move(parts));
}

void mail::keep(MPI_Request request, std::vector<shared_bytes> bytes) {
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

letter mail::take() {
    MPI_Message message;
    MPI_Status status;
    check(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &message, &status), "MPI_Mprobe");
    return receive(message, status);
}

std::optional<letter> mail::try_take() {
    MPI_Message message;
    MPI_Status status;
    int flag = 0;
    check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, &message, &status), "MPI_Improbe");
    if (flag == 0) {
        return std::nullopt;
    }
    return receive(message, status);
}

letter mail::receive(MPI_Message message, const MPI_Status &status) {
    MPI_Count size = 0;
    MPI_Get_count_c(&status, MPI_BYTE, &size);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    check(MPI_Mrecv_c(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    const int from = status.MPI_SOURCE;
    if (status.MPI_TAG == values_tag) {
        return {from, values_of(from, std::move(bytes))};
    }
    return {from, control_of(from, bytes)};
}

void mail::wait_for_sends() {
    check(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    sends_.clear();
    sent_.clear();
}

} // namespace lisle::couple::detail
