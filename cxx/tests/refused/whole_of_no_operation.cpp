// says: This callable does not combine
#include <functional>
#include <lisle/lisle.hpp>
#include <vector>
std::vector<int> values;
void mistake() {
    auto sum = lisle::world().allreduce(lisle::whole(values), std::plus<>{});
}
