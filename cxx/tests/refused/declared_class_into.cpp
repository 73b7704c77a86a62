// says: This class is only declared here
#include <lisle/lisle.hpp>
#include <vector>

class particle;
struct point {
    int x, y;
};

void mistake(particle &moved) {
    std::vector<int> all;
    lisle::world().gather_into(moved, lisle::resized(all));
}

int main() {
    point moved{1, 2};
    std::vector<point> all;
    lisle::world().gather_into(moved, lisle::resized(all));
}
