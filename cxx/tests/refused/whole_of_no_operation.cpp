// says: This callable does not combine
#include <lisle/lisle.hpp>

#include <functional>
#include <vector>
std::vector<int> values;
void mistake() {
    auto sum = lisle::world().allreduce(lisle::whole(values), std::plus<>{});
}
