// check: unsafe memory
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (memory at index_wraps_around.c:9)
// In 32 bits the product of index and size is zero.
int a[4], b[4];

int main(void) {
    int *p = a;
    p[1u << 30] = 1; //~ violation
    return b[0];
}
