// says: This is a temporary, which ends before the operation
#include <lisle/lisle.hpp>
#include <vector>
void mistake() {
    auto sending = lisle::world().isend(lisle::borrow(std::vector<int>(3)), 1);
}
