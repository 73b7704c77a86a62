// says: This class is only declared here
#include <lisle/lisle.hpp>

class particle;
struct point {
    int x, y;
};

void mistake() {
    auto received = lisle::world().receive<particle>(0);
}

int main() {
    return lisle::world().receive<point>(0).x;
}
