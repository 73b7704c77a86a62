// says: This class is only declared here
#include <lisle/lisle.hpp>

class particle;
struct point {
    int x, y;
};

void mistake(particle &moved) {
    lisle::world().broadcast(lisle::resized(moved));
}

int main() {
    point moved{1, 2};
    lisle::world().broadcast(moved);
}
