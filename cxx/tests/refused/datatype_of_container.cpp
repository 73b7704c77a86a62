// says: This type has no datatype of its own
#include <lisle/lisle.hpp>
#include <vector>

void mistake() {
    MPI_Datatype type = lisle::datatype_of<std::vector<int>>();
}

int main() {
    return lisle::datatype_of<int>() == MPI_DATATYPE_NULL;
}
