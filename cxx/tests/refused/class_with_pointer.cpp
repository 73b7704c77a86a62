// says: list_node::next)>|list_node *>
#include <lisle/lisle.hpp>
struct list_node {
    int value;
    list_node *next;
};
void mistake(const list_node &node) {
    lisle::world().send(node, 1);
}
