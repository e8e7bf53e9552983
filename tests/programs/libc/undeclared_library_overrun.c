// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at undeclared_library_overrun.c:6)
// The object has the size that was asked for.
int main(void) {
    char *p = malloc(4);
    memset(p, 0, 5); //~ violation
    return 0;
}
