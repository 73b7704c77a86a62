// says: is for ranges
#include <lisle/lisle.hpp>
void mistake() {
    auto all = lisle::world().allgather(lisle::elements(1.5));
}
