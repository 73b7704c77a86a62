// says: This callable does not combine
#include <lisle/lisle.hpp>

#include <functional>
#include <vector>
struct point {
    int x, y;
};
std::vector<point> values, sums;
void mistake() {
    lisle::world().allreduce_into(values, lisle::resized(sums), std::plus<>{});
}
int main() {
    lisle::world().allreduce_into(values, lisle::resized(sums), [](point a, point b) {
        return point{a.x + b.x, a.y + b.y};
    });
}
