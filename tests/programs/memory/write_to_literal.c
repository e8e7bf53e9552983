// check: unsafe memory
int main(void) {
    char *s = "text";
    s[0] = 'T'; //~ violation
    return 0;
}
