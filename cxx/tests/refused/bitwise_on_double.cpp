// says: Bitwise operations are not defined for floating-point numbers
#include <lisle/lisle.hpp>

#include <functional>
void mistake() {
    auto bits = lisle::world().allreduce(1.5, std::bit_xor<>{});
}
