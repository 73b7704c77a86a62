// SPDX-License-Identifier: Apache-2.0
#include "file/element_sequence.hpp"

#include <algorithm>

namespace lisle::file {

element_sequence::element_sequence(const typed_buffer &of) {
    const datatype &element = *of.type->origin().types.front();
    const MPI_Count count = of.bytes() / element.size();
    const MPI_Count last = (count - 1) * element.extent();
    const MPI_Count lower = element.true_lower_bound() + std::min<MPI_Count>(0, last);
    const MPI_Count upper = element.true_lower_bound() + element.true_extent() + std::max<MPI_Count>(0, last);
    memory_.resize(static_cast<std::size_t>(upper - lower));
    elements_ = {memory_.data() - lower, count, element};
}

} // namespace lisle::file
