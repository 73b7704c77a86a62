// says: alltoallv() needs the counts
#include <lisle/lisle.hpp>
#include <vector>
void mistake(std::vector<int> &numbers) {
    auto received = lisle::world().alltoallv(numbers);
}
