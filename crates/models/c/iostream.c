/* Standard output of C++: nothing is written, and writing succeeds. Other streams have no model.
 *
 * Inline functions of the headers find the state of a stream, which they change, by the first entry of its vtable.
 */
#include "internal.h"

static const long cxx_stream_vtable[3] = {sizeof(void *), 0, 0};
struct cxx_stream {
    const void *vtable;
    char state[264];
};
struct cxx_stream _ZSt4cout = {&cxx_stream_vtable[3]};
struct cxx_stream _ZSt4cerr = {&cxx_stream_vtable[3]};
struct cxx_stream _ZSt4clog = {&cxx_stream_vtable[3]};

void _ZNSt8ios_base4InitC1Ev(void *init) { (void)init; }
void _ZNSt8ios_base4InitD1Ev(void *init) { (void)init; }

#define WRITES(name, type) void *name(void *stream, type value) { (void)value; return stream; }
WRITES(_ZNSolsEb, _Bool)
WRITES(_ZNSolsEs, short)
WRITES(_ZNSolsEt, unsigned short)
WRITES(_ZNSolsEi, int)
WRITES(_ZNSolsEj, unsigned)
WRITES(_ZNSolsEl, long)
WRITES(_ZNSolsEm, unsigned long)
WRITES(_ZNSolsEx, long long)
WRITES(_ZNSolsEy, unsigned long long)
WRITES(_ZNSolsEf, float)
WRITES(_ZNSolsEd, double)
WRITES(_ZNSolsEe, long double)
WRITES(_ZNSolsEPKv, const void *)
WRITES(_ZNSo9_M_insertIbEERSoT_, _Bool)
WRITES(_ZNSo9_M_insertIlEERSoT_, long)
WRITES(_ZNSo9_M_insertImEERSoT_, unsigned long)
WRITES(_ZNSo9_M_insertIxEERSoT_, long long)
WRITES(_ZNSo9_M_insertIyEERSoT_, unsigned long long)
WRITES(_ZNSo9_M_insertIdEERSoT_, double)
WRITES(_ZNSo9_M_insertIeEERSoT_, long double)
WRITES(_ZNSo9_M_insertIPKvEERSoT_, const void *)
WRITES(_ZNSo3putEc, char)
WRITES(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char)
WRITES(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char *)
WRITES(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE, const void *)

void *_ZNSo5writeEPKcl(void *stream, const char *text, long length) { (void)text, (void)length; return stream; }
void *_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(void *stream, const char *text, long length) {
    (void)text, (void)length;
    return stream;
}
void *_ZNSo5flushEv(void *stream) { return stream; }
void *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) { return stream; }
void *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) { return stream; }

/* Manipulators that change the state of a stream change nothing that can be seen. */
void *_ZNSolsEPFRSoS_E(void *stream, void *(*manipulator)(void *)) { return manipulator(stream); }
void *_ZNSolsEPFRSt8ios_baseS0_E(void *stream, void *manipulator) { (void)manipulator; return stream; }
void *_ZNSolsEPFRSt9basic_iosIcSt11char_traitsIcEES4_E(void *stream, void *manipulator) { (void)manipulator; return stream; }
