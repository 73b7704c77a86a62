// says: use of deleted function|call to deleted constructor
#include <lisle/lisle.hpp>
void mistake(lisle::owned<lisle::communicator> &comm) {
    lisle::owned<lisle::communicator> copy = comm;
}
