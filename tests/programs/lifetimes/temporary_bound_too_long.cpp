// check: unsafe memory
static const int &least(const int &a, const int &b) { return a < b ? a : b; }

int main() {
    int n = 3;
    const int &m = least(n, 2);
    return m - 2; //~ violation
}
