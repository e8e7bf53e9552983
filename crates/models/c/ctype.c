/* Character classes of the "C" locale, as functions and as the table behind glibc's macros. */
#include "internal.h"

static _Bool is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static _Bool is_lower(int c) { return c >= 'a' && c <= 'z'; }
static _Bool is_digit(int c) { return c >= '0' && c <= '9'; }
static _Bool is_hex(int c) { return is_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'); }
static _Bool is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }
static _Bool is_letter(int c) { return is_upper(c) || is_lower(c); }
static _Bool is_graphic(int c) { return c > 32 && c < 127; }

int isupper(int c) { return is_upper(c); }
int islower(int c) { return is_lower(c); }
int isalpha(int c) { return is_letter(c); }
int isdigit(int c) { return is_digit(c); }
int isalnum(int c) { return is_letter(c) || is_digit(c); }
int isxdigit(int c) { return is_hex(c); }
int isspace(int c) { return is_space(c); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int isgraph(int c) { return is_graphic(c); }
int isprint(int c) { return is_graphic(c) || c == ' '; }
int ispunct(int c) { return is_graphic(c) && !is_letter(c) && !is_digit(c); }
int toupper(int c) { return is_lower(c) ? c - 32 : c; }
int tolower(int c) { return is_upper(c) ? c + 32 : c; }

/* glibc's bits on a little-endian machine. */
#define CT_UPPER 0x100
#define CT_LOWER 0x200
#define CT_ALPHA 0x400
#define CT_DIGIT 0x800
#define CT_HEX 0x1000
#define CT_SPACE 0x2000
#define CT_PRINT 0x4000
#define CT_GRAPH 0x8000
#define CT_BLANK 0x1
#define CT_CNTRL 0x2
#define CT_PUNCT 0x4
#define CT_ALNUM 0x8

#define CT_IS_UPPER(c) ((c) >= 'A' && (c) <= 'Z')
#define CT_IS_LOWER(c) ((c) >= 'a' && (c) <= 'z')
#define CT_IS_DIGIT(c) ((c) >= '0' && (c) <= '9')
#define CT_IS_ALPHA(c) (CT_IS_UPPER(c) || CT_IS_LOWER(c))
#define CT_IS_HEX(c) (CT_IS_DIGIT(c) || ((c) >= 'A' && (c) <= 'F') || ((c) >= 'a' && (c) <= 'f'))
#define CT_IS_GRAPH(c) ((c) > 32 && (c) < 127)
#define CT(c)                                                                               \
    (unsigned short)((CT_IS_UPPER(c) ? CT_UPPER : 0) | (CT_IS_LOWER(c) ? CT_LOWER : 0) |    \
                     (CT_IS_ALPHA(c) ? CT_ALPHA | CT_ALNUM : 0) |                           \
                     (CT_IS_DIGIT(c) ? CT_DIGIT | CT_ALNUM : 0) |                           \
                     (CT_IS_HEX(c) ? CT_HEX : 0) |                                          \
                     ((c) == 32 || ((c) >= 9 && (c) <= 13) ? CT_SPACE : 0) |                \
                     (CT_IS_GRAPH(c) ? CT_GRAPH | CT_PRINT : 0) | ((c) == 32 ? CT_PRINT : 0) | \
                     ((c) == 32 || (c) == 9 ? CT_BLANK : 0) |                               \
                     ((c) < 32 || (c) == 127 ? CT_CNTRL : 0) |                              \
                     (CT_IS_GRAPH(c) && !CT_IS_ALPHA(c) && !CT_IS_DIGIT(c) ? CT_PUNCT : 0))
#define CT8(c) CT(c), CT(c + 1), CT(c + 2), CT(c + 3), CT(c + 4), CT(c + 5), CT(c + 6), CT(c + 7)
#define CT32(c) CT8(c), CT8(c + 8), CT8(c + 16), CT8(c + 24)

/* Indices -128 to 255; all but 0 to 127 have no class. */
static const unsigned short selvedge_ctype[384] = {[128] = CT32(0), CT32(32), CT32(64), CT32(96)};

const unsigned short **__ctype_b_loc(void) {
    static const unsigned short *table = selvedge_ctype + 128;
    return &table;
}

int isascii(int c) { return (c & ~0x7F) == 0; }
int toascii(int c) { return c & 0x7F; }
