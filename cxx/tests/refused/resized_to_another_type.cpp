// says: must be of the type that is sent
#include <lisle/lisle.hpp>
#include <vector>
void mistake(std::vector<float> &all, const std::vector<double> &mine) {
    lisle::world().allgather_into(mine, lisle::resized(all));
}
