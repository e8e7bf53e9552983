// The index leaves its array, but not the struct around it.
// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at bounds_constant_index.c:14)
// headline cbmc --unwind 1: unsafe (memory at bounds_constant_index.c:14)
struct {
    int array[4];
    int behind;
} it;

int four = 4;

int main(void) {
    int *element = it.array;
    it.array[four] = 3; //~ violation
    return *element;
}
