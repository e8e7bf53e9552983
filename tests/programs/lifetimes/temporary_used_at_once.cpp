// check: safe
static const int &least(const int &a, const int &b) { return a < b ? a : b; }

int main() {
    int n = 3;
    const int m = least(n, 2);
    const int &kept = n + 1;
    return m - 2 + kept - 4;
}
