// says: This view does not own its memory
#include <lisle/lisle.hpp>
#include <span>
#include <vector>
void mistake(std::vector<int> &numbers) {
    auto sending = lisle::world().isend(std::span{numbers}, 1);
}
