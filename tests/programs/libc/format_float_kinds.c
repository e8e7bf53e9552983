// check: safe
// %f, %e, %g and %a.
#include <stdio.h>
#include <assert.h>
#include <string.h>
int main(void) { char b[64]; snprintf(b, 64, "%.2f", 3.14159); assert(!strcmp(b, "3.14")); snprintf(b, 64, "%g", 0.5); assert(!strcmp(b, "0.5")); snprintf(b, 64, "%e", 12345.678); assert(!strcmp(b, "1.234568e+04")); snprintf(b, 64, "%8.3f|", 2.5); assert(!strcmp(b, "   2.500|")); snprintf(b,64,"%g", 100000.0); assert(!strcmp(b,"100000")); snprintf(b,64,"%g",1e10); assert(!strcmp(b,"1e+10")); snprintf(b,64,"%08.3f",2.5); assert(!strcmp(b,"0002.500")); snprintf(b,64,"%f", 1e20); assert(!strcmp(b,"100000000000000000000.000000")); snprintf(b,64,"%Lf", 2.5L); assert(!strcmp(b,"2.500000"));snprintf(b,64,"%a", 1.0); assert(!strcmp(b,"0x1p+0")); }
