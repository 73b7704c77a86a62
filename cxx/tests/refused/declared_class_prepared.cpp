// says: This class is only declared here
#include <lisle/lisle.hpp>
#include <vector>

class particle;
struct point {
    int x, y;
};

void mistake(particle &moved) {
    std::vector<int> all;
    auto prepared = lisle::world().gather_init(lisle::borrow(moved), lisle::borrow(all));
}

int main() {
    point moved{1, 2};
    std::vector<point> all;
    auto prepared = lisle::world().gather_init(lisle::borrow(moved), lisle::borrow(all));
}
