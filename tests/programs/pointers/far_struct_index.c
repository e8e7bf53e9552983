// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at far_struct_index.c:13)
// 2^61 structs of 8 bytes are no bytes at all in 64 bits.
struct pair {
    int a, b;
};

struct pair x[2], y[2];

int main(void) {
    struct pair *p = x;
    long n = 1L << 61;
    p[n].b = 1; //~ violation
    return y[0].b;
}
