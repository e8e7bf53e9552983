// check: safe
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[16];
    assert(sprintf(text, "%d-%s", -7, "ab") == 5 && strcmp(text, "-7-ab") == 0);
    assert(snprintf(text, 4, "%05u%c", 42u, 'z') == 6 && strcmp(text, "000") == 0);
    assert(snprintf(text, sizeof text, "%x %ld%%", 255, 3L) == 5 && strcmp(text, "ff 3%") == 0);
    printf("%s\n", text);
    fprintf(stderr, "done\n");
    puts("end");
    return 0;
}
