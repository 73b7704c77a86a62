// says: This view does not own its memory
#include <lisle/layout.hpp>
#include <lisle/lisle.hpp>

#include <vector>
void mistake(std::vector<int> &numbers) {
    auto sending = lisle::world().isend(lisle::layout<int>::indexed({0}).of(numbers), 1);
}
void good(const std::vector<int> &numbers) {
    lisle::world().send(lisle::layout<int>::indexed({0}).of(numbers), 1);
}
