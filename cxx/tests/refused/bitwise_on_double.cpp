// says: Bitwise operations are not defined for floating-point numbers
#include <functional>
#include <lisle/lisle.hpp>
void mistake() {
    auto bits = lisle::world().allreduce(1.5, std::bit_xor<>{});
}
