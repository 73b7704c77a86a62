// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/comparison.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "datatype/basic_type.hpp"
#include "datatype/predefined.hpp"
#include "datatype/type_signature.hpp"

namespace lisle::collective {

namespace {

/// What elements are, as a sum. Not known: nothing is said, or something that fits everything.
type_signature signature_in(const data_claim &said) {
    constexpr auto basics = std::uint64_t{1} << 8;
    return said.elements >= basics || said.elements == 0 || said.bytes < 0
               ? type_signature::unknown()
               : signature_of(static_cast<basic_type>(said.elements), said.bytes);
}

/// A signature of data of several types as data_claim::elements: no basic_type.
constexpr std::uint64_t said_sum(const type_signature &all) noexcept {
    return all.sum | std::uint64_t{1} << 63;
}

bool is_sum(const data_claim &said) noexcept {
    return said.elements >> 63 != 0;
}

bool bytes_fit(const data_claim &one, const data_claim &other) noexcept {
    return one.bytes < 0 || other.bytes < 0 || one.bytes == other.bytes;
}

/// Of claims whose bytes fit.
bool elements_fit(const data_claim &one, const data_claim &other) {
    if (one.elements == other.elements || one.elements == 0 || other.elements == 0) {
        return true;
    }
    if (!is_sum(one) && !is_sum(other)) {
        const auto [a, b] = std::pair{signature_in(one), signature_in(other)};
        return one.bytes >= 0 && other.bytes >= 0 ? fit_together(a, b)
                                                  : fit_together(static_cast<basic_type>(one.elements),
                                                                 static_cast<basic_type>(other.elements));
    }
    if (is_sum(one) && is_sum(other)) {
        return false;
    }
    const type_signature uniform = signature_in(is_sum(one) ? other : one);
    return !uniform.known() || said_sum(uniform) == std::max(one.elements, other.elements);
}

/// Says more than claims that fit everything.
bool names_type(const data_claim &said) noexcept {
    return said.elements != 0 && said.elements != static_cast<std::uint64_t>(basic_type::byte);
}

/// One sentence for what two ranks do: what comes before the value, and after it.
template <class Value> mpi_error other_value(int error, int rank, const char *does, const Value &value,
                                             const Value &first, const char *after = "") {
    return {error, sentence("the ranks do not make the same call: rank ", rank, does, value, after,
                            ", rank 0", does, first, after)};
}

std::optional<mpi_error> disagreement_in_call(int rank, const call_signature &given,
                                              const call_signature &first) {
    if (std::strncmp(given.call, first.call, sizeof given.call) != 0) {
        return other_value(MPI_ERR_OTHER, rank, " calls MPI_", given.call, first.call);
    }
    return std::nullopt;
}

std::optional<mpi_error> disagreement_in_root(int rank, const call_signature &given,
                                              const call_signature &first) {
    if (given.root != first.root) {
        return other_value(MPI_ERR_ROOT, rank, " names the root ", given.root, first.root);
    }
    return std::nullopt;
}

/// Whether a rank of an inter-communicator that names this root is in the root's group.
bool is_beside_root(std::int64_t root) noexcept {
    return root == MPI_ROOT || root == MPI_PROC_NULL;
}

std::string root_in_words(std::int64_t root) {
    return root == MPI_ROOT        ? "MPI_ROOT"
           : root == MPI_PROC_NULL ? "MPI_PROC_NULL"
                                   : sentence("the root ", root);
}

std::optional<mpi_error> disagreement_in_operation(int rank, const call_signature &given,
                                                   const call_signature &first) {
    if (given.counts != first.counts) {
        return mpi_error{MPI_ERR_COUNT, sentence("the ranks do not make the same call: rank ", rank,
                                                 " names other counts than rank 0, of the same sum")};
    }
    // Empty where the operation means nothing.
    if (given.operation[0] != '\0' && first.operation[0] != '\0' &&
        std::strncmp(given.operation, first.operation, sizeof given.operation) != 0) {
        return other_value(MPI_ERR_OP, rank, " reduces with ", given.operation, first.operation);
    }
    return std::nullopt;
}

} // namespace

data_claim claim_of(const typed_buffer &data, MPI_Count said_bytes) {
    data_claim made{.bytes = said_bytes};
    if (const auto basic = uniform_basic_type(*data.type)) {
        made.elements = static_cast<std::uint64_t>(*basic);
    } else if (said_bytes == data.bytes()) {
        const type_signature all = repeated(data.type->signature(), data.count);
        made.elements = all.known() ? said_sum(all) : 0;
    }
    made.outline = outline_of(*data.type, data.count);
    return made;
}

bool fit_together(const data_claim &one, const data_claim &other) {
    return bytes_fit(one, other) && elements_fit(one, other);
}

std::string comparison::stated::place() const {
    return sentence("rank ", rank, of, ": ", said.place);
}

std::optional<mpi_error> comparison::with_places(std::optional<mpi_error> found, const stated &one,
                                                 const stated &other) {
    if (!found || (one.said.place[0] == '\0' && other.said.place[0] == '\0')) {
        return found;
    }
    const std::string places =
        one.rank == other.rank ? one.place() : sentence(one.place(), "; ", other.place());
    return mpi_error{found->code(), sentence(found->what(), " (", places, ")")};
}

std::optional<mpi_error> comparison::compare_bytes(const stated &now, claim_of_call which) {
    const data_claim &own = now.said.*which;
    if (own.bytes < 0) {
        return std::nullopt;
    }
    if (!sized_) {
        sized_ = {now, which};
        return std::nullopt;
    }
    const auto &[before, role] = *sized_;
    const data_claim &first = before.said.*role;
    if (own.bytes == first.bytes) {
        return std::nullopt;
    }
    return with_places(mpi_error{MPI_ERR_COUNT, sentence("the ranks do not make the same call: rank ",
                                                         now.rank, verb(which), own.bytes, " bytes, rank ",
                                                         before.rank, verb(role), first.bytes, " bytes")},
                       now, before);
}

std::optional<mpi_error> comparison::compare_elements(const stated &now, claim_of_call which) {
    const data_claim &own = now.said.*which;
    if (!names_type(own)) {
        return std::nullopt;
    }
    if (!typed_) {
        typed_ = {now, which};
        return std::nullopt;
    }
    const auto &[before, role] = *typed_;
    const data_claim &first = before.said.*role;
    if (elements_fit(own, first)) {
        return std::nullopt;
    }
    const bool alike = which == role;
    return with_places(mpi_error{MPI_ERR_TYPE, sentence("the ranks do not make the same call: rank ",
                                                        now.rank, alike ? " names " : verb(which),
                                                        "elements of another type than rank ", before.rank,
                                                        alike                            ? ""
                                                        : role == &call_signature::given ? " gives"
                                                                                         : " takes",
                                                        ": ", in_words(own.outline), ", rank ", before.rank,
                                                        " ", in_words(first.outline))},
                       now, before);
}

std::optional<mpi_error> comparison::compare_own(const stated &now) {
    const data_claim &given = now.said.given, &taken = now.said.taken;
    if (!bytes_fit(given, taken)) {
        return with_places(mpi_error{MPI_ERR_COUNT, sentence("rank ", now.rank, " takes ", taken.bytes,
                                                             " bytes where it gives ", given.bytes)},
                           now, now);
    }
    if (!elements_fit(given, taken)) {
        return with_places(
            mpi_error{MPI_ERR_TYPE,
                      sentence("rank ", now.rank, " takes elements of another type than it gives: ",
                               in_words(taken.outline), ", and gives ", in_words(given.outline))},
            now, now);
    }
    return std::nullopt;
}

std::optional<mpi_error> comparison::compare_roots_of_group(const stated &now) {
    const std::int64_t root = now.said.root, first = first_->said.root;
    if (root == MPI_ROOT && root_) {
        return mpi_error{MPI_ERR_ROOT, sentence("the ranks do not make the same call: rank ", now.rank,
                                                " and rank ", *root_, " of one group name MPI_ROOT")};
    }
    if (root == MPI_ROOT) {
        root_ = now.rank;
    }
    if (root != first && !(is_beside_root(root) && is_beside_root(first))) {
        return other_value(MPI_ERR_ROOT, now.rank, " names ", root_in_words(root), root_in_words(first));
    }
    return std::nullopt;
}

std::optional<mpi_error> comparison::add_other_group(const call_signature &said) const {
    const stated other{0, said, " of the other group"};
    const call_signature &own = first_->said;
    const bool beside_root = is_beside_root(own.root);
    int error = MPI_ERR_ROOT;
    std::string found;
    if (std::strncmp(said.call, own.call, sizeof own.call) != 0) {
        error = MPI_ERR_OTHER;
        found = sentence("rank 0 calls MPI_", own.call, ", rank 0 of the other group MPI_", said.call);
    } else if (own.root != call_signature::unsaid && beside_root == is_beside_root(said.root)) {
        found = sentence("rank 0 names ", root_in_words(own.root), ", rank 0 of the other group ",
                         root_in_words(said.root), ", so ",
                         beside_root ? "both groups are" : "neither group is", " the root's");
    } else if (beside_root && !root_) {
        found = "all ranks of the root's group name MPI_PROC_NULL, and none MPI_ROOT";
    } else if (beside_root && *root_ != said.root) {
        found =
            sentence("rank ", *root_, " names MPI_ROOT, and rank 0 of the other group the root ", said.root);
    }
    if (found.empty()) {
        return std::nullopt;
    }
    return with_places(mpi_error{error, sentence("the groups do not make the same call: ", found)}, *first_,
                       other);
}

std::optional<mpi_error> comparison::add(int rank, const call_signature &said) {
    const stated now{rank, said};
    if (!first_) {
        first_ = now;
    }
    auto found = disagreement_in_call(rank, said, first_->said);
    found = found    ? found
            : inter_ ? compare_roots_of_group(now)
                     : disagreement_in_root(rank, said, first_->said);
    found = with_places(found, now, *first_);
    found = found ? found : compare_own(now);
    for (const claim_of_call which : {&call_signature::given, &call_signature::taken}) {
        found = found ? found : compare_bytes(now, which);
    }
    for (const claim_of_call which : {&call_signature::given, &call_signature::taken}) {
        found = found ? found : compare_elements(now, which);
    }
    return found ? found : with_places(disagreement_in_operation(rank, said, first_->said), now, *first_);
}

} // namespace lisle::collective
