// says: receive a std::vector, or use receive_into
#include <lisle/lisle.hpp>
#include <span>
void mistake() {
    auto values = lisle::world().receive<std::span<int>>(0);
}
