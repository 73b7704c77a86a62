// says: This class is only declared here
#include <lisle/lisle.hpp>

class particle;
struct point {
    int x, y;
};

void mistake() {
    MPI_Datatype type = lisle::datatype_of<particle>();
}

int main() {
    return lisle::datatype_of<point>() == MPI_DATATYPE_NULL;
}
