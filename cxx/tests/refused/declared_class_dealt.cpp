// says: This class is only declared here
#include <lisle/lisle.hpp>

class particle;
struct point {
    int x, y;
};

void mistake(particle &moved) {
    auto mine = lisle::world().iscatter(lisle::borrow(moved));
}

int main() {
    point moved{1, 2};
    auto all = lisle::world().iallgather(moved);
}
