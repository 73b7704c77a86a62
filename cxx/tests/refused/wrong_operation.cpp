// says: This callable does not combine two elements
#include <lisle/lisle.hpp>
#include <string>
void mistake() {
    auto sum = lisle::world().allreduce(1, [](const std::string &a, const std::string &) { return a; });
}
