//! Simplification rules as a table: both sides are built, and must be the same term.
//!
//! `a`, `b`, `c`, `d` are Booleans, `w`, `x`, `y`, `z` have 8 bits, numbers too (`true`, `false` are
//! Booleans); `zext`, `sext` extend to 16 bits, and `5:16` is a number of 16 bits.

use selvedge_formula::{Term, Terms};

struct Parser<'a> {
    terms: &'a mut Terms,
    variables: Vec<(char, Term)>,
    text: &'a str,
}

impl Parser<'_> {
    fn word(&mut self) -> String {
        let text = self.text.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.text = rest.trim_start();
        word.to_string()
    }

    fn term(&mut self) -> Term {
        let word = self.word();
        let mut arguments = Vec::new();
        if let Some(rest) = self.text.strip_prefix('(') {
            self.text = rest;
            while !self.text.starts_with(')') {
                arguments.push(self.term());
                self.text = self.text.trim_start_matches(',').trim_start();
            }
            self.text = self.text[1..].trim_start();
        }
        let t = &mut *self.terms;
        match (word.as_str(), &arguments[..]) {
            ("not", &[a]) => t.not(a),
            ("neg", &[a]) => t.neg(a),
            ("and", &[a, b]) => t.and(a, b),
            ("or", &[a, b]) => t.or(a, b),
            ("xor", &[a, b]) => t.xor(a, b),
            ("implies", &[a, b]) => t.implies(a, b),
            ("add", &[a, b]) => t.add(a, b),
            ("sub", &[a, b]) => t.sub(a, b),
            ("mul", &[a, b]) => t.mul(a, b),
            ("udiv", &[a, b]) => t.udiv(a, b),
            ("urem", &[a, b]) => t.urem(a, b),
            ("sdiv", &[a, b]) => t.sdiv(a, b),
            ("srem", &[a, b]) => t.srem(a, b),
            ("shl", &[a, b]) => t.shl(a, b),
            ("lshr", &[a, b]) => t.lshr(a, b),
            ("ashr", &[a, b]) => t.ashr(a, b),
            ("eq", &[a, b]) => t.eq(a, b),
            ("ne", &[a, b]) => t.ne(a, b),
            ("ult", &[a, b]) => t.ult(a, b),
            ("ule", &[a, b]) => t.ule(a, b),
            ("slt", &[a, b]) => t.slt(a, b),
            ("sle", &[a, b]) => t.sle(a, b),
            ("ite", &[c, a, b]) => t.ite(c, a, b),
            ("zext", &[a]) => t.zero_extend(a, 16),
            ("sext", &[a]) => t.sign_extend(a, 16),
            ("concat", &[a, b]) => t.concat(a, b),
            ("low", &[a]) => t.extract(a, 0, 4),
            ("high", &[a]) => t.extract(a, 4, 4),
            ("byte", &[a]) => t.extract(a, 0, 8),
            ("byte1", &[a]) => t.extract(a, 8, 8),
            ("sign", &[a]) => t.extract(a, 7, 1),
            ("true", []) => Terms::TRUE,
            ("false", []) => Terms::FALSE,
            (name, []) if name.starts_with(char::is_numeric) => {
                let (value, bits) = name.split_once(':').unwrap_or((name, "8"));
                t.constant(bits.parse().unwrap(), value.parse().unwrap())
            }
            (name, []) => self.variables.iter().find(|(known, _)| name == known.to_string()).expect(name).1,
            (name, _) => panic!("{name}"),
        }
    }
}

/// Checks a rule; the error describes the difference.
fn simplifies(from: &str, to: &str) -> Result<(), String> {
    let mut terms = Terms::new();
    let variables: Vec<_> = "abcdwxyz".chars().map(|c| (c, terms.variable(if c < 'w' { 1 } else { 8 }, c))).collect();
    let mut parse = |text| Parser { terms: &mut terms, variables: variables.clone(), text }.term();
    let (left, right) = (parse(from), parse(to));
    let wrong = || format!("{from} is {:?}, not {:?}\n", terms.node(left), terms.node(right));
    if left == right { Ok(()) } else { Err(wrong()) }
}

#[test]
fn table() {
    let table = "
        and(true, a)                            = a
        and(a, false)                           = false
        and(a, a)                               = a
        and(a, not(a))                          = false
        and(b, a)                               = and(a, b)
        and(a, and(a, b))                       = and(a, b)
        and(not(a), and(a, b))                  = false
        and(and(a, b), and(c, not(a)))          = false
        and(a, or(a, b))                        = a
        or(a, and(a, b))                        = a
        and(a, or(not(a), b))                   = and(a, b)
        or(a, and(not(a), b))                   = or(a, b)
        or(and(a, b), and(a, not(b)))           = a
        and(or(a, b), or(not(b), a))            = a
        not(not(x))                             = x
        not(and(not(a), not(b)))                = or(a, b)
        implies(a, a)                           = true
        implies(false, a)                       = true
        xor(a, a)                               = false
        xor(a, true)                            = not(a)
        xor(not(a), not(b))                     = xor(a, b)
        xor(x, xor(y, x))                       = y
        xor(xor(x, 3), 5)                       = xor(x, 6)
        and(and(x, 60), 15)                     = and(x, 12)
        and(zext(x), 255:16)                    = zext(x)

        ite(a, x, x)                            = x
        ite(true, x, y)                         = x
        ite(not(a), x, y)                       = ite(a, y, x)
        ite(a, true, false)                     = a
        ite(a, false, true)                     = not(a)
        ite(a, b, false)                        = and(a, b)
        ite(a, true, b)                         = or(a, b)
        ite(a, a, b)                            = or(a, b)
        ite(a, b, not(b))                       = not(xor(a, b))
        ite(a, ite(a, x, y), z)                 = ite(a, x, z)
        ite(a, x, ite(a, y, z))                 = ite(a, x, z)
        ite(a, x, ite(b, x, y))                 = ite(or(a, b), x, y)
        ite(a, ite(b, x, y), y)                 = ite(and(a, b), x, y)
        ite(a, not(x), not(y))                  = not(ite(a, x, y))
        ite(a, not(ite(a, x, y)), z)            = ite(a, not(x), z)
        and(a, ite(a, b, c))                    = and(a, b)
        and(not(a), ite(a, b, c))               = and(not(a), c)

        eq(x, x)                                = true
        eq(x, not(x))                           = false
        eq(3, 4)                                = false
        eq(a, true)                             = a
        eq(a, false)                            = not(a)
        eq(y, x)                                = eq(x, y)
        eq(ite(a, 3, 4), 3)                     = a
        eq(ite(a, 3, 4), 4)                     = not(a)
        eq(ite(a, 3, 4), 5)                     = false
        eq(ite(a, 1, 0), 1)                     = a
        eq(ite(a, 3, ite(b, 4, 5)), 4)          = and(not(a), b)
        eq(ite(a, 3, x), 3)                     = or(a, eq(x, 3))
        eq(ite(a, x, y), x)                     = or(a, eq(x, y))
        eq(ite(a, x, y), ite(a, x, z))          = or(a, eq(y, z))
        eq(add(x, 3), 5)                        = eq(x, 2)
        eq(add(x, y), add(y, z))                = eq(x, z)
        eq(add(x, y), x)                        = eq(y, 0)
        eq(sub(x, y), 0)                        = eq(x, y)
        eq(xor(x, y), 0)                        = eq(x, y)
        eq(not(x), 255)                         = eq(x, 0)
        eq(and(x, 128), 128)                    = sign(x)
        eq(and(x, 128), 0)                      = not(sign(x))
        eq(and(x, 8), 1)                        = false
        eq(zext(x), 256:16)                     = false
        eq(zext(x), 7:16)                       = eq(x, 7)
        eq(sext(x), 255:16)                     = false
        eq(sext(x), 65535:16)                   = eq(x, 255)
        eq(zext(x), zext(y))                    = eq(x, y)
        eq(concat(x, y), 258:16)                = and(eq(x, 1), eq(y, 2))
        ne(x, x)                                = false

        ult(x, 0)                               = false
        ult(x, 1)                               = eq(x, 0)
        ult(255, x)                             = false
        ult(254, x)                             = eq(x, 255)
        ult(0, x)                               = ne(x, 0)
        ult(x, 255)                             = ne(x, 255)
        ule(0, x)                               = true
        ule(x, 255)                             = true
        ult(x, x)                               = false
        ult(zext(x), 256:16)                    = true
        ult(zext(x), 9:16)                      = ult(x, 9)
        ult(255:16, zext(x))                    = false
        ult(zext(x), zext(y))                   = ult(x, y)
        ult(ite(a, 3, 9), 5)                    = a
        slt(x, 128)                             = false
        slt(127, x)                             = false
        slt(128, x)                             = ne(x, 128)
        sle(128, x)                             = true
        slt(x, 0)                               = sign(x)
        slt(255, x)                             = not(sign(x))
        slt(zext(x), 65535:16)                  = false
        slt(zext(x), 9:16)                      = ult(x, 9)
        slt(zext(x), zext(y))                   = ult(x, y)
        slt(sext(x), sext(y))                   = slt(x, y)
        slt(sext(x), 5:16)                      = slt(x, 5)
        slt(sext(x), 500:16)                    = true
        slt(ite(a, 255, 9), 5)                  = a

        add(x, 0)                               = x
        add(add(x, 1), 2)                       = add(x, 3)
        add(add(x, 1), add(y, 2))               = add(add(x, y), 3)
        add(add(x, 1), 255)                     = x
        add(y, x)                               = add(x, y)
        add(x, neg(y))                          = sub(x, y)
        add(x, not(x))                          = 255
        add(sub(x, y), y)                       = x
        add(ite(a, 3, 4), 2)                    = ite(a, 5, 6)
        sub(x, x)                               = 0
        sub(x, 1)                               = add(x, 255)
        sub(add(x, 3), x)                       = 3
        sub(add(x, y), y)                       = x
        sub(0, x)                               = neg(x)
        neg(neg(x))                             = x
        neg(sub(x, y))                          = sub(y, x)
        neg(not(x))                             = add(x, 1)
        mul(x, 0)                               = 0
        mul(x, 1)                               = x
        mul(x, 255)                             = neg(x)
        mul(x, 4)                               = shl(x, 2)
        mul(mul(x, 3), 5)                       = mul(x, 15)
        udiv(x, 1)                              = x
        udiv(x, 0)                              = 255
        udiv(x, 8)                              = lshr(x, 3)
        urem(x, 8)                              = and(x, 7)
        urem(x, 0)                              = x
        urem(x, x)                              = 0
        sdiv(x, 1)                              = x
        sdiv(x, 255)                            = neg(x)
        srem(x, 255)                            = 0
        shl(x, 0)                               = x
        shl(x, 8)                               = 0
        lshr(x, 200)                            = 0
        shl(shl(x, 2), 3)                       = shl(x, 5)
        lshr(lshr(x, 2), 3)                     = lshr(x, 5)
        ashr(ashr(x, 2), 3)                     = ashr(x, 5)
        ashr(x, 100)                            = ashr(x, 7)

        low(low(x))                             = low(x)
        byte(zext(x))                           = x
        byte1(zext(x))                          = 0
        byte(concat(x, y))                      = y
        byte1(concat(x, y))                     = x
        concat(high(x), low(x))                 = x
        concat(0, x)                            = zext(x)
        concat(byte1(concat(x, y)), byte(zext(y))) = concat(x, y)
        byte(add(zext(x), zext(y)))             = add(x, y)
        byte(mul(sext(x), sext(y)))             = mul(x, y)
        low(and(x, 240))                        = low(0)
        low(and(x, 31))                         = low(x)
        low(not(x))                             = not(low(x))
        low(ite(a, 18, 52))                     = low(ite(a, 2, 4))
    ";
    let rules = table.lines().filter_map(|line| line.split_once('='));
    let wrong: String = rules.filter_map(|(from, to)| simplifies(from.trim(), to.trim()).err()).collect();
    assert!(wrong.is_empty(), "\n{wrong}");
}
