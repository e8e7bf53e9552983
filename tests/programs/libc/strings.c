// check: safe
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char buffer[16] = "one";
    assert(strlen(buffer) == 3 && strcmp(buffer, "one") == 0 && strcmp("a", "b") < 0);
    strcat(buffer, ",two");
    strncat(buffer, "!!!", 1);
    assert(strcmp(buffer, "one,two!") == 0 && strncmp(buffer, "one+", 3) == 0);
    assert(strchr(buffer, ',') == buffer + 3 && strrchr(buffer, 'o') == buffer + 6 && strchr(buffer, 'z') == NULL);
    assert(strcmp(strstr(buffer, "tw"), "two!") == 0 && strspn(buffer, "eno") == 3 && strcspn(buffer, "!") == 7);
    char *copy = strdup(buffer), *rest;
    char *token = strtok_r(copy, ",", &rest);
    assert(strcmp(token, "one") == 0 && strcmp(strtok_r(NULL, ",", &rest), "two!") == 0);
    assert(strtok_r(NULL, ",", &rest) == NULL);
    free(copy);
    memset(buffer, 'x', 3);
    memmove(buffer + 1, buffer, 4);
    assert(memcmp(buffer, "xxxx,wo!", 9) == 0);
    return 0;
}
