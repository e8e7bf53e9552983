// check: unsafe memory
// headline explicit lazy tree cbmc: unsafe (memory at used_behind_its_block.c:9)
int main(void) {
    int *p;
    {
        int x = 3;
        p = &x;
    }
    return *p - 3; //~ violation
}
