// check: unsafe memory
int *escape(void) {
    int local = 1;
    int *volatile p = &local;
    return p;
}

int main(void) {
    int *p = escape();
    return *p; //~ violation
}
