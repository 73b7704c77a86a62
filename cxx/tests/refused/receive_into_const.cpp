// says: This is const and cannot be received into
#include <lisle/lisle.hpp>
#include <vector>
void mistake(const std::vector<int> &numbers) {
    lisle::world().receive_into(numbers, 0);
}
