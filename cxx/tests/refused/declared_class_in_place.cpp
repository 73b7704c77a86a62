// says: This class is only declared here
#include <lisle/lisle.hpp>

class particle;
struct point {
    int x, y;
};

void mistake(particle &moved) {
    lisle::world().allgather(lisle::in_place(moved));
}

int main() {
    point moved{1, 2};
    lisle::world().allgather(lisle::in_place(moved));
}
