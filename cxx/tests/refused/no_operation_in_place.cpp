// says: This callable does not combine
#include <lisle/lisle.hpp>

#include <functional>
#include <vector>
struct point {
    int x, y;
};
std::vector<point> values;
void mistake() {
    lisle::world().allreduce(lisle::in_place(values), std::plus<>{});
}
int main() {
    lisle::world().allreduce(lisle::in_place(values), [](point a, point b) {
        return point{a.x + b.x, a.y + b.y};
    });
}
