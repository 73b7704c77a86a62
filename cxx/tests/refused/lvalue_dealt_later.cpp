// says: lend it with lisle::borrow(object)
#include <lisle/lisle.hpp>
#include <vector>
std::vector<int> numbers;
void mistake() {
    auto later = lisle::world().ialltoall(numbers);
}
void good() {
    auto later = lisle::world().ialltoall(std::vector{1, 2});
}
