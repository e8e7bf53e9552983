// check: safe
// args: --engine lazy --unwind 8
// headline lazy: safe
// assumption: functions such as sin, exp and pow return any value of their range
// Transcendental functions stay within their range, and are exact where that is known; nan() is not a number.
#include <assert.h>
#include <math.h>

int main(void) {
    volatile double x = 0.5;
    double s = sin(x), e = exp(x);
    assert(s >= -1 && s <= 1 && e >= 1);
    assert(pow(2, 3) == 8 && cos(0) == 1 && log(1) == 0 && fabs(-2) == 2 && sqrt(9) == 3);
    double none = nan("7");
    float none_either = nanf("");
    assert(none != none && none_either != none_either);
    return 0;
}
