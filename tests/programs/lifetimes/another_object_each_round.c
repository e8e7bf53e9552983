// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at another_object_each_round.c:9)
// The pointer is to the object of the round before.
int main(void) {
    int *p = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        if (p)
            return *p; //~ violation
        p = &x;
    }
    return 0;
}
