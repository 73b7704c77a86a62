// says: say lisle::borrow(object)
#include <lisle/lisle.hpp>
#include <vector>
void mistake(std::vector<int> &numbers) {
    auto sending = lisle::world().isend(numbers, 1);
}
