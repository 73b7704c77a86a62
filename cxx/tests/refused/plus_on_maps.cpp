// says: This callable does not combine two elements
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>

#include <functional>
#include <map>
void mistake() {
    auto sum = lisle::world().allreduce(std::map<int, int>{}, std::plus<>{});
}
