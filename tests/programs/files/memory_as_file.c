// check: safe
// fmemopen reads what is there, and writes as much as there is room for.
// check -DTOO_MUCH: unsafe assertion
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reads(void) {
    char text[] = "12 abc\n34 def\nlast";
    FILE *stream = fmemopen(text, strlen(text), "r");
    int number;
    char word[8], line[16];
    assert(fscanf(stream, "%d %7s", &number, word) == 2 && number == 12 && strcmp(word, "abc") == 0);
    assert(ftell(stream) == 6 && fgetc(stream) == '\n');
    assert(fgets(line, sizeof line, stream) && strcmp(line, "34 def\n") == 0);
    assert(ungetc('\n', stream) == '\n' && getc(stream) == '\n');
    char *whole = NULL;
    size_t room = 0;
    assert(getline(&whole, &room, stream) == 4 && strcmp(whole, "last") == 0);
    free(whole);
    assert(!fgets(line, sizeof line, stream) && feof(stream) && fgetc(stream) == EOF);
    rewind(stream);
    assert(!feof(stream) && fread(line, 1, 2, stream) == 2 && line[1] == '2');
    assert(fseek(stream, -4, SEEK_END) == 0 && fgetc(stream) == 'l' && fputc('x', stream) == EOF);
    fclose(stream);
}

static void writes(void) {
    char to[8];
    memset(to, '#', sizeof to);
    FILE *stream = fmemopen(to, sizeof to, "w");
    fprintf(stream, "%d-%d", 12, 34);
    fflush(stream);
    assert(strcmp(to, "12-34") == 0);
#ifdef TOO_MUCH
    assert(fwrite("abcdef", 1, 6, stream) == 6); //~ violation
#else
    assert(fwrite("abcdef", 1, 6, stream) == 3);
#endif
    fclose(stream);
    assert(memcmp(to, "12-34abc", 8) == 0);
}

int main(void) {
    reads();
    writes();
    return 0;
}
