// says: This callable does not combine two elements
#include <functional>
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <map>
void mistake() {
    auto sum = lisle::world().allreduce(std::map<int, int>{}, std::plus<>{});
}
