// SPDX-License-Identifier: Apache-2.0
// The binomial tree: the node with number v has children v + 2^k for all 2^k below v's lowest set bit,
// and the subtree of v + 2^k is the run of numbers [v + 2^k, v + 2^(k+1)). Numbers count from the root.
// [R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective communication operations in MPICH,
// 2005, section 4]
#pragma once

#include <algorithm>

namespace lisle {

/// One node of the tree that spans `size` nodes.
class binomial_node {
  public:
    binomial_node(int number, int size) noexcept : number_{number}, size_{size} {
        // 64 bit, since the root's span is the first power of two that is not below size.
        while (span_ < size && (number & span_) == 0) {
            span_ *= 2;
        }
    }
    /// The node of `rank` in the tree whose root is `root`.
    static binomial_node at(int rank, int root, int size) noexcept {
        return {rank >= root ? rank - root : rank - root + size, size};
    }

    [[nodiscard]] int number() const noexcept { return number_; }
    [[nodiscard]] bool is_root() const noexcept { return number_ == 0; }
    /// @pre not the root
    [[nodiscard]] int parent() const noexcept { return static_cast<int>(number_ - span_); }
    /// Number of nodes in this node's subtree, itself included: [number, number + subtree()).
    [[nodiscard]] int subtree() const noexcept {
        return static_cast<int>(std::min<long>(span_, size_ - number_));
    }

    /// Calls function(child) from the smallest subtree to the largest, in increasing order of number.
    template <class Function> void each_child(Function function) const {
        for (long distance = 1; distance < span_ && number_ + distance < size_; distance *= 2) {
            function(binomial_node{static_cast<int>(number_ + distance), size_});
        }
    }
    /// Calls function(child) from the largest subtree to the smallest.
    template <class Function> void each_child_downwards(Function function) const {
        for (long distance = span_ / 2; distance > 0; distance /= 2) {
            if (number_ + distance < size_) {
                function(binomial_node{static_cast<int>(number_ + distance), size_});
            }
        }
    }

  private:
    int number_;
    int size_;
    long span_ = 1; ///< distance to the parent; for the root, the first power of two >= size
};

/// The rank with this number in the tree whose root is `root`.
[[nodiscard]] inline int rank_in_tree(int number, int root, int size) noexcept {
    return number < size - root ? number + root : number - (size - root);
}

} // namespace lisle
