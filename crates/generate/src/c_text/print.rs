//! A [`Source`] as C text.

use super::ast::*;
use std::fmt::Write;

/// The last action of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Return,
    /// Prints its checksum, and takes its inputs from a table: for a compiler.
    Print,
    /// Asserts that its checksum is this, and assumes that its inputs are those of the table.
    Expect(u32),
}

const INCLUDES: &str = "\
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
";

/// The declarations that programs may need, by name; only those that a program uses are printed.
const DECLARATIONS: [(&str, &str); 13] = [
    ("__VERIFIER_nondet_int(", "extern int __VERIFIER_nondet_int(void);"),
    ("__VERIFIER_nondet_uchar(", "extern unsigned char __VERIFIER_nondet_uchar(void);"),
    ("__VERIFIER_assume(", "extern void __VERIFIER_assume(int);"),
    ("__VERIFIER_atomic_begin(", "extern void __VERIFIER_atomic_begin(void);"),
    ("__VERIFIER_atomic_end(", "extern void __VERIFIER_atomic_end(void);"),
    ("make(", "extern void *make(void);"),
    ("unknown(", "extern int unknown(int);"),
    ("take(", "extern void take(void *);"),
    ("locks[", "static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };"),
    ("&condition", "static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;"),
    ("threads[", "static pthread_t threads[2];"),
    ("counter", "static atomic_int counter;"),
    ("function", "static int (*function)(int);"),
];

/// Definitions of the functions that only a verifier knows.
const NATIVE: &str = "\
#include <stdio.h>
int __VERIFIER_nondet_int(void) { return 0; }
unsigned char __VERIFIER_nondet_uchar(void) { return 0; }
void __VERIFIER_assume(int condition) { (void)condition; }
void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}
void *make(void) { return 0; }
int unknown(int value) { return value; }
void take(void *pointer) { (void)pointer; }
";

impl Source {
    pub fn text(&self, ending: Ending) -> String {
        let mut printer = Printer { source: self, ending, indent: 0, out: String::new() };
        printer.program();
        let body = printer.out;
        let used = DECLARATIONS.iter().filter(|(name, _)| body.contains(name));
        let declarations: String = used.map(|(_, declaration)| format!("{declaration}\n")).collect();
        let native = if ending == Ending::Print { NATIVE } else { "" };
        format!("{INCLUDES}{declarations}{native}{body}")
    }
}

struct Printer<'s> {
    source: &'s Source,
    ending: Ending,
    indent: usize,
    out: String,
}

impl<'s> Printer<'s> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 4);
    }

    fn program(&mut self) {
        let source = self.source;
        if !source.inputs.is_empty() {
            let values: Vec<String> = source.inputs.iter().map(u8::to_string).collect();
            let (count, values) = (values.len(), values.join(", "));
            self.line(&format!("static const unsigned char inputs[{count}] = {{ {values} }};"));
            self.line("static unsigned next_input;");
        }
        for (number, record) in source.records.iter().enumerate() {
            self.record(number, record);
        }
        for (number, object) in source.globals.iter().enumerate() {
            let declared = self.declaration(&format!("g{number}"), object);
            self.line(&format!("static {declared}"));
        }
        for number in (0..source.records.len()).filter(|number| source.passes(*number)) {
            let ty = type_name(number, source);
            self.line(&format!("static {ty} pass{number}({ty} value) {{ return value; }}"));
        }
        for (number, body) in source.functions.iter().enumerate() {
            self.function(&format!("static int f{number}(int r0)"), 1, body);
            self.close("return r0;");
        }
        for (number, body) in source.threads.iter().enumerate() {
            self.function(&format!("static void *thread{number}(void *argument)"), 0, body);
            self.close("return 0;");
        }
        self.function("int main(void)", 0, &source.main);
        self.checksum();
        self.close("return 0;");
    }

    fn record(&mut self, number: usize, record: &Record) {
        let kind = if record.is_union { "union" } else { "struct" };
        self.line(&format!("{kind} r{number}_t {{"));
        for (number, field) in record.fields.iter().enumerate() {
            let declared = declared(self.source, &format!("f{number}"), field.ty);
            let bits = field.bits.map_or(String::new(), |bits| format!(" : {bits}"));
            self.line(&format!("    {declared}{bits};"));
        }
        self.line("};");
    }

    fn declaration(&self, name: &str, object: &Object) -> String {
        let declared = declared(self.source, name, object.ty);
        match (object.initial, object.ty) {
            (Initial::None, _) => format!("{declared};"),
            (Initial::Zero | Initial::Global(_), Type::Scalar(_)) => format!("{declared} = 0;"),
            (Initial::First(value), Type::Scalar(_)) => format!("{declared} = {value};"),
            (Initial::Zero | Initial::First(_), Type::Pointer(_)) => format!("{declared} = 0;"),
            (Initial::Global(global), Type::Pointer(_)) => format!("{declared} = (void *)&g{global};"),
            (Initial::First(value), Type::Array(..)) => format!("{declared} = {{ {value} }};"),
            (_, Type::Array(..) | Type::Record(_) | Type::Records(..)) => format!("{declared} = {{ 0 }};"),
        }
    }

    /// Prints a function without its end; it declares the registers from `first` on.
    fn function(&mut self, head: &str, first: Register, body: &'s Body) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        for register in first..REGISTERS {
            let value = if register < body.zeroed { " = 0" } else { "" };
            self.line(&format!("int r{register}{value};"));
        }
        for (number, object) in body.locals.iter().enumerate() {
            let declared = self.declaration(&format!("l{number}"), object);
            self.line(&declared);
        }
        self.list(&body.statements);
    }

    fn close(&mut self, last: &str) {
        self.line(last);
        self.indent -= 1;
        self.line("}");
    }

    fn checksum(&mut self) {
        if self.ending != Ending::Return {
            self.line("unsigned sum = 0;");
            for place in self.checked_places() {
                self.line(&format!("sum = sum * 31u + (unsigned){place};"));
            }
        }
        match self.ending {
            Ending::Return => {}
            Ending::Print => self.line("printf(\"%u\\n\", sum);"),
            Ending::Expect(sum) => self.line(&format!("assert(sum == {sum}u);")),
        }
    }

    /// All scalars of global objects and of those of `main`.
    fn checked_places(&self) -> Vec<String> {
        let mut places: Vec<String> = (0..REGISTERS).map(|register| format!("r{register}")).collect();
        places.push("counter".to_string());
        for (number, object) in self.source.globals.iter().enumerate() {
            self.scalars(&format!("g{number}"), object.ty, &mut places);
        }
        for (number, object) in self.source.main.locals.iter().enumerate() {
            self.scalars(&format!("l{number}"), object.ty, &mut places);
        }
        places
    }

    fn scalars(&self, name: &str, ty: Type, places: &mut Vec<String>) {
        match ty {
            Type::Scalar(_) => places.push(name.to_string()),
            Type::Array(_, count) => places.extend((0..count).map(|index| format!("{name}[{index}]"))),
            Type::Records(record, count) => {
                (0..count).for_each(|index| self.scalars(&format!("{name}[{index}]"), Type::Record(record), places))
            }
            Type::Record(record) => {
                let fields = self.source.records.get(record).map_or(&[][..], |record| &record.fields);
                for (number, field) in fields.iter().enumerate() {
                    self.scalars(&format!("{name}.f{number}"), field.ty, places);
                }
            }
            Type::Pointer(_) => {}
        }
    }

    fn list(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn block(&mut self, head: &str, statements: &[Stmt], tail: &str) {
        self.line(head);
        self.indent += 1;
        self.list(statements);
        self.indent -= 1;
        self.line(tail);
    }

    fn statement(&mut self, statement: &Stmt) {
        let text = match statement {
            Stmt::If(condition, yes, no) => {
                self.block(
                    &format!("if ({}) {{", self.expr(condition)),
                    yes,
                    if no.is_empty() { "}" } else { "} else {" },
                );
                if !no.is_empty() {
                    self.indent += 1;
                    self.list(no);
                    self.indent -= 1;
                    self.line("}");
                }
                return;
            }
            Stmt::Loop(times, body) => {
                return self.block(&format!("for (int i = 0; i < {times}; i++) {{"), body, "}");
            }
            Stmt::Repeat(register, body) => {
                return self.block(&format!("for (int i = 0; i < r{register} && i < 4; i++) {{"), body, "}");
            }
            Stmt::Switch(value, zero, one, other) => {
                self.line(&format!("switch ({}) {{", self.expr(value)));
                self.block("case 0: {", zero, "} break;");
                self.block("case 1: {", one, "} /* falls through */");
                self.block("default: {", other, "}");
                return self.line("}");
            }
            Stmt::Locked(lock, body) => {
                self.line(&format!("pthread_mutex_lock(&locks[{lock}]);"));
                self.list(body);
                format!("pthread_mutex_unlock(&locks[{lock}]);")
            }
            Stmt::Atomic(body) => {
                self.line("__VERIFIER_atomic_begin();");
                self.list(body);
                "__VERIFIER_atomic_end();".to_string()
            }
            Stmt::Input { register, low, high } => self.input(*register, *low, *high),
            simple => self.simple(simple),
        };
        self.line(&text);
    }

    fn input(&self, register: Register, low: u8, high: u8) -> String {
        let draw = format!("r{register} = __VERIFIER_nondet_uchar();");
        let next = format!("inputs[next_input++ % {}u] % {}u + {low}", self.source.inputs.len(), high - low + 1);
        match (self.source.is_defined, self.ending) {
            (true, Ending::Print) => format!("r{register} = {next};"),
            (true, _) => format!("{draw} __VERIFIER_assume(r{register} == {next});"),
            (false, _) => format!("{draw} __VERIFIER_assume(r{register} >= {low} && r{register} <= {high});"),
        }
    }

    fn simple(&self, statement: &Stmt) -> String {
        match statement {
            Stmt::Set(register, value) => format!("r{register} = {};", self.expr(value)),
            Stmt::Assign(place, value) => format!("{} = {};", self.place(place), self.expr(value)),
            Stmt::Copy(to, from) => format!("{} = {};", self.place(to), self.place(from)),
            Stmt::Pass(to, from, record) => format!("{} = pass{record}({});", self.place(to), self.place(from)),
            Stmt::Literal(to, record, field, value) => {
                let ty = type_name(*record, self.source);
                format!("{} = ({ty}){{ .f{field} = {} }};", self.place(to), self.expr(value))
            }
            Stmt::Transfer(kind, to, from, length) => {
                let name = match kind {
                    Transfer::Copy => "memcpy",
                    Transfer::Move => "memmove",
                };
                format!("{name}({}, {}, {});", self.pointer(to), self.pointer(from), self.length(length))
            }
            Stmt::Fill(to, value, length) => {
                format!("memset({}, {}, {});", self.pointer(to), self.expr(value), self.length(length))
            }
            Stmt::CompareBytes(register, a, b, length) => {
                format!("r{register} = memcmp({}, {}, {}) == 0;", self.pointer(a), self.pointer(b), self.length(length))
            }
            Stmt::Point(place, pointer) => format!("{} = {};", self.place(place), self.pointer(pointer)),
            Stmt::Free(pointer) => format!("free({});", self.pointer(pointer)),
            Stmt::SetFunction(FunctionValue::Function(number)) => format!("function = f{number};"),
            Stmt::SetFunction(FunctionValue::Null) => "function = 0;".to_string(),
            Stmt::SetFunction(FunctionValue::Cast(pointer)) => {
                format!("function = (int (*)(int)){};", self.pointer(pointer))
            }
            Stmt::Call { callee, argument, result } => {
                let name = match callee {
                    Callee::Function(number) => format!("f{number}"),
                    Callee::Pointer => "function".to_string(),
                    Callee::Unknown => "unknown".to_string(),
                };
                format!("r{result} = {name}({});", self.expr(argument))
            }
            Stmt::Take(pointer) => format!("take({});", self.pointer(pointer)),
            Stmt::WideInput(register) => format!("r{register} = __VERIFIER_nondet_int();"),
            Stmt::Assume(condition) => format!("__VERIFIER_assume({});", self.expr(condition)),
            Stmt::Assert(condition) => format!("assert({});", self.expr(condition)),
            Stmt::Lock(lock) => format!("pthread_mutex_lock(&locks[{lock}]);"),
            Stmt::Unlock(lock) => format!("pthread_mutex_unlock(&locks[{lock}]);"),
            Stmt::DestroyLock(lock) => format!("pthread_mutex_destroy(&locks[{lock}]);"),
            Stmt::Wait => "pthread_cond_wait(&condition, &locks[0]);".to_string(),
            Stmt::Signal => "pthread_cond_signal(&condition);".to_string(),
            Stmt::Broadcast => "pthread_cond_broadcast(&condition);".to_string(),
            Stmt::FetchAdd(register, value) => format!("r{register} = atomic_fetch_add(&counter, {value});"),
            Stmt::CompareExchange(register, old, new) => {
                format!("{{ int old = {old}; r{register} = atomic_compare_exchange_strong(&counter, &old, {new}); }}")
            }
            Stmt::Create(number, argument) => {
                format!("pthread_create(&threads[{number}], 0, thread{number}, {});", self.pointer(argument))
            }
            Stmt::Join(number) => format!("pthread_join(threads[{number}], 0);"),
            Stmt::Detach(number) => format!("pthread_detach(threads[{number}]);"),
            Stmt::EndThread => "pthread_exit(0);".to_string(),
            Stmt::EndProcess => "exit(0);".to_string(),
            Stmt::If(..)
            | Stmt::Loop(..)
            | Stmt::Repeat(..)
            | Stmt::Switch(..)
            | Stmt::Locked(..)
            | Stmt::Atomic(_)
            | Stmt::Input { .. } => unreachable!("printed over several lines"),
        }
    }

    fn index(&self, index: &Index) -> String {
        match index {
            Index::Constant(value) => value.to_string(),
            Index::Masked(value, count) => format!("(unsigned){} % {count}u", self.expr(value)),
            Index::Raw(value) => self.expr(value),
        }
    }

    fn length(&self, length: &Length) -> String {
        match length {
            Length::SizeOf(place) => format!("sizeof {}", self.place(place)),
            Length::Masked(value, most) => format!("(unsigned){} % {}u", self.expr(value), u32::from(*most) + 1),
            Length::Raw(value) => self.expr(value),
        }
    }

    fn place(&self, place: &Lvalue) -> String {
        let mut text = match place.root {
            Variable::Global(number) => format!("g{number}"),
            Variable::Local(number) => format!("l{number}"),
        };
        match &place.through {
            None => {}
            Some(Index::Constant(0)) => text = format!("(*{text})"),
            Some(index) => text = format!("{text}[{}]", self.index(index)),
        }
        for step in &place.path {
            text += &match step {
                Step::Field(number) => format!(".f{number}"),
                Step::Index(index) => format!("[{}]", self.index(index)),
            };
        }
        text
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Constant(value) if *value < 0 => format!("({value})"),
            Expr::Constant(value) => value.to_string(),
            Expr::Register(register) => format!("r{register}"),
            Expr::Load(place) => self.place(place),
            Expr::Binary(operation, a, b) => self.binary(*operation, &self.expr(a), &self.expr(b)),
            Expr::Cast(scalar, value) => format!("({}){}", scalar.name(), self.expr(value)),
            Expr::Choose(condition, a, b) => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(a), self.expr(b))
            }
            Expr::SamePointer(a, b) => format!("({} == {})", self.bytes(a), self.bytes(b)),
            Expr::PointerLess(a, b) => format!("({} < {})", self.bytes(a), self.bytes(b)),
            Expr::Distance(a, b) => format!("(int)({} - {})", self.bytes(a), self.bytes(b)),
            Expr::SizeOf(place) => format!("(int)sizeof {}", self.place(place)),
            Expr::StringLength(pointer) => format!("(int)strlen({})", self.pointer(pointer)),
        }
    }

    fn binary(&self, operation: Binary, a: &str, b: &str) -> String {
        let sign = match operation {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Ge => ">=",
            Binary::Both => "&&",
            Binary::Either => "||",
        };
        if !self.source.is_defined {
            return format!("({a} {sign} {b})");
        }
        match operation {
            Binary::Div | Binary::Rem => format!("((unsigned){a} {sign} ((unsigned){b} | 1u))"),
            Binary::Shl | Binary::Shr => format!("((unsigned){a} {sign} ((unsigned){b} & 7u))"),
            _ => format!("((unsigned){a} {sign} (unsigned){b})"),
        }
    }

    fn bytes(&self, pointer: &Pointer) -> String {
        format!("(char *){}", self.pointer(pointer))
    }

    /// An expression of type `void *`, except for calls of the library.
    fn pointer(&self, pointer: &Pointer) -> String {
        match pointer {
            Pointer::Null => "(void *)0".to_string(),
            Pointer::To(place) => format!("(void *)&{}", self.place(place)),
            Pointer::Value(place) => format!("(void *){}", self.place(place)),
            Pointer::Offset(base, by) => format!("(void *)({} + {})", self.bytes(base), self.expr(by)),
            Pointer::Integer(base, by) => format!("(void *)((unsigned long){} + {by})", self.pointer(base)),
            Pointer::MadeUp => "make()".to_string(),
            Pointer::Malloc(size) => format!("malloc({})", self.expr(size)),
            Pointer::Calloc(size) => format!("calloc(1, {})", self.expr(size)),
            Pointer::Realloc(base, size) => format!("realloc({}, {})", self.pointer(base), self.expr(size)),
            Pointer::Alloca(size) => format!("alloca({})", self.expr(size)),
            Pointer::Argument => "argument".to_string(),
        }
    }
}

impl Scalar {
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Char => "signed char",
            Scalar::UnsignedChar => "unsigned char",
            Scalar::Short => "short",
            Scalar::UnsignedShort => "unsigned short",
            Scalar::Int => "int",
            Scalar::Unsigned => "unsigned",
            Scalar::Long => "long",
            Scalar::LongLong => "long long",
            Scalar::Bool => "_Bool",
        }
    }
}

fn type_name(record: usize, source: &Source) -> String {
    let is_union = source.records.get(record).is_some_and(|record| record.is_union);
    format!("{} r{record}_t", if is_union { "union" } else { "struct" })
}

fn declared(source: &Source, name: &str, ty: Type) -> String {
    match ty {
        Type::Scalar(scalar) => format!("{} {name}", scalar.name()),
        Type::Array(scalar, count) => format!("{} {name}[{count}]", scalar.name()),
        Type::Record(record) => format!("{} {name}", type_name(record, source)),
        Type::Records(record, count) => format!("{} {name}[{count}]", type_name(record, source)),
        Type::Pointer(Target::Byte) => format!("unsigned char *{name}"),
        Type::Pointer(Target::Int) => format!("int *{name}"),
        Type::Pointer(Target::Record(record)) => format!("{} *{name}", type_name(record, source)),
    }
}
