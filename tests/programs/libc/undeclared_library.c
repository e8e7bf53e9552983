// check: safe
// headline explicit lazy tree: safe
// Nothing is declared: compilers take the library's types, so pointers keep their upper half, and numbers are converted.
int main(void) {
    int *p = malloc(sizeof(int)), *q = calloc(2, sizeof(int));
    char *text = strdup("abc"), *room = alloca(8);
    *p = 3;
    memcpy(q, p, sizeof *p);
    memset(room, 0, 8);
    assert(q[0] == 3 && q[1] == 0);
    assert(strlen(text) == 3 && strchr(text, 'c') == text + 2);
    assert(fabs(-2) == 2.0 && sqrt(16) == 4.0 && labs(-5000000000) == 5000000000);
    free(p);
    free(q);
    free(text);
    return 0;
}
