//! Reading operations, terminators and operands.

use super::lex::{Cursor, Token, ty};
use super::parse::{ParseError, Reader};
use super::scope::{Scope, label_of};
use crate::ir::*;
use crate::source::TypeId;
use crate::task::Property;

type Parsed<T> = Result<T, ParseError>;

/// The bits of a constant with its type as suffix: `-1i32`, `1.5f64`, `0x10ptr`.
fn constant(text: &str) -> Option<Operand> {
    let split = ["f64", "f32", "ptr"].iter().find(|s| text.ends_with(**s)).map(|s| text.len() - s.len());
    let (value, suffix) = text.split_at(split.or_else(|| text.rfind('i'))?);
    let ty = ty(suffix)?;
    let bits = if let Some(hex) = value.strip_prefix("0x") {
        u128::from_str_radix(hex, 16).ok()?
    } else {
        match ty {
            Ty::F64 => u128::from(value.parse::<f64>().ok()?.to_bits()),
            Ty::F32 => u128::from(value.parse::<f32>().ok()?.to_bits()),
            Ty::Int(width @ 1..=128) if value.starts_with('-') => {
                let unused = 128 - u32::from(width);
                let value: i128 = value.parse().ok()?;
                if value << unused >> unused != value {
                    return None;
                }
                (value as u128) << unused >> unused
            }
            _ => value.parse().ok()?,
        }
    };
    Some(Operand::Const { ty, bits })
}

impl Reader {
    /// An operand that is no register.
    pub fn constant_operand(&self, cursor: &mut Cursor) -> Parsed<Operand> {
        let operand = match cursor.peek() {
            Some(Token::Symbol(_)) => {
                let symbol = self.symbol(cursor)?;
                let Operand::Global { id, .. } = symbol else { return Ok(symbol) };
                let plus = cursor.eat('+');
                let negative = matches!(cursor.peek(), Some(Token::Number(n)) if n.starts_with('-'));
                let offset = if plus || negative { cursor.number()? } else { 0 };
                return Ok(Operand::Global { id, offset });
            }
            Some(Token::Number(number)) => constant(number),
            Some(Token::Word(word)) => match word.as_str() {
                "true" => Some(Operand::bool(true)),
                "false" => Some(Operand::bool(false)),
                "null" => Some(Operand::NULL),
                _ => None,
            },
            _ => None,
        };
        let Some(operand) = operand else { return cursor.error("a constant with its type, or a symbol") };
        cursor.advance();
        Ok(operand)
    }

    pub fn operand(&self, scope: &Scope, cursor: &mut Cursor) -> Parsed<Operand> {
        match cursor.peek() {
            Some(Token::Reg(_)) => Ok(Operand::Reg(self.reg(scope, cursor)?)),
            _ => self.constant_operand(cursor),
        }
    }

    fn reg(&self, scope: &Scope, cursor: &mut Cursor) -> Parsed<Reg> {
        let Some(Token::Reg(label)) = cursor.peek() else { return cursor.error("a register") };
        let Some(reg) = scope.find(label) else { return cursor.error("a declared register") };
        cursor.advance();
        Ok(reg)
    }

    /// `N` operands, separated by commas.
    fn operands<const N: usize>(&self, scope: &Scope, cursor: &mut Cursor) -> Parsed<[Operand; N]> {
        let mut all = [Operand::NULL; N];
        for (index, operand) in all.iter_mut().enumerate() {
            if index > 0 {
                cursor.expect(',')?;
            }
            *operand = self.operand(scope, cursor)?;
        }
        Ok(all)
    }

    pub fn args(&self, scope: &Scope, cursor: &mut Cursor) -> Parsed<Vec<Operand>> {
        cursor.expect('(')?;
        cursor.list(')', |cursor| self.operand(scope, cursor))
    }

    /// `%a, %b =`, or nothing.
    pub fn results(&self, scope: &Scope, cursor: &mut Cursor) -> Parsed<Vec<Reg>> {
        match cursor.peek() {
            Some(Token::Reg(_)) => cursor.list('=', |cursor| self.reg(scope, cursor)),
            _ => Ok(vec![]),
        }
    }

    pub fn op_with_results(&mut self, scope: &Scope, cursor: &mut Cursor) -> Parsed<Op> {
        let dsts = self.results(scope, cursor)?;
        let op = self.op(scope, cursor, &dsts)?;
        if op.defs().len() != dsts.len() {
            return cursor.error("another number of registers before '='");
        }
        Ok(op)
    }

    fn op(&mut self, scope: &Scope, cursor: &mut Cursor, dsts: &[Reg]) -> Parsed<Op> {
        let opcode = cursor.word("an operation", |w| Some(w.to_string()))?;
        let word = opcode.as_str();
        // Operations with results; `op_with_results` checks that no more are given than used.
        if let Some(dst) = dsts.first().copied() {
            if let Some(op) = BinOp::from_name(word) {
                let checked = cursor.eat_word("checked");
                let [a, b] = self.operands(scope, cursor)?;
                return Ok(Op::Compute(Computation::Binary { dst, op, a, b, checked }));
            }
            if let Some(op) = CmpOp::from_name(word) {
                let [a, b] = self.operands(scope, cursor)?;
                return Ok(Op::Compute(Computation::Compare { dst, op, a, b }));
            }
            if let Some(cast) = Cast::from_name(word) {
                return Ok(Op::Compute(Computation::Cast { dst, cast, src: self.operand(scope, cursor)? }));
            }
            if let Some(op) = UnOp::from_name(word) {
                return Ok(Op::Compute(Computation::Unary { dst, op, a: self.operand(scope, cursor)? }));
            }
            if let Some(op) = FloatBinOp::from_name(word) {
                let [a, b] = self.operands(scope, cursor)?;
                return Ok(Op::Compute(Computation::FloatBinary { dst, op, a, b }));
            }
            if let Some(op) = FloatUnOp::from_name(word) {
                return Ok(Op::Compute(Computation::FloatUnary { dst, op, a: self.operand(scope, cursor)? }));
            }
            if let Some(op) = self.op_with_result(scope, cursor, word, dst, dsts.get(1).copied())? {
                return Ok(op);
            }
        }
        Ok(match word {
            "store" => {
                let access = access(cursor);
                let ty = cursor.ty()?;
                let value = self.operand(scope, cursor)?;
                cursor.expect_word("to")?;
                let addr = self.operand(scope, cursor)?;
                Op::Store { ty, addr, value, access, place: self.place(cursor)? }
            }
            "fence" => Op::Fence { order: order(cursor) },
            "stack_restore" => Op::StackRestore { mark: self.operand(scope, cursor)? },
            "memcopy" | "memmove" => {
                let [dst, src, len] = self.operands(scope, cursor)?;
                Op::MemCopy { dst, src, len, may_overlap: word == "memmove" }
            }
            "memset" => {
                let [dst, byte, len] = self.operands(scope, cursor)?;
                Op::MemSet { dst, byte, len }
            }
            "call" => {
                let callee = if cursor.eat('*') {
                    Callee::Indirect(self.operand(scope, cursor)?)
                } else {
                    Callee::Direct(self.func(cursor)?)
                };
                Op::Call { dsts: dsts.to_vec(), callee, args: self.args(scope, cursor)? }
            }
            "violation" => {
                let property = cursor.word("a property", Property::from_name)?;
                Op::Violation { property, text: cursor.text()? }
            }
            "unsupported" => Op::Unsupported { what: cursor.text()? },
            _ => {
                let Some(which) = Intrinsic::from_name(word) else {
                    return cursor.error(&format!("an operation other than '{word}' (or a result for it) before"));
                };
                Op::Intrinsic { dst: dsts.first().copied(), which, args: self.args(scope, cursor)? }
            }
        })
    }

    fn op_with_result(
        &mut self,
        scope: &Scope,
        cursor: &mut Cursor,
        word: &str,
        dst: Reg,
        second: Option<Reg>,
    ) -> Parsed<Option<Op>> {
        Ok(Some(match (word, second) {
            ("copy", _) => Op::Compute(Computation::Copy { dst, src: self.operand(scope, cursor)? }),
            ("overflowing", Some(overflow)) => {
                let signed = cursor.eat_word("signed");
                if !signed {
                    cursor.expect_word("unsigned")?;
                }
                let op = cursor.word("a binary operation", BinOp::from_name)?;
                let [a, b] = self.operands(scope, cursor)?;
                Op::Compute(Computation::Overflowing { dst, overflow, op, signed, a, b })
            }
            ("fcmp", _) => {
                let op = cursor.word("a comparison of floats", FloatCmpOp::from_name)?;
                let [a, b] = self.operands(scope, cursor)?;
                Op::Compute(Computation::FloatCompare { dst, op, a, b })
            }
            ("select", _) => {
                let [cond, a, b] = self.operands(scope, cursor)?;
                Op::Compute(Computation::Select { dst, cond, a, b })
            }
            ("field", _) => {
                let base = self.operand(scope, cursor)?;
                cursor.expect(',')?;
                let bytes = cursor.number()?;
                Op::Compute(Computation::Field {
                    dst,
                    base,
                    bytes,
                    of: if cursor.eat_word("of") { Some(cursor.type_id()?) } else { None },
                })
            }
            ("index", _) => {
                let [base, index] = self.operands(scope, cursor)?;
                cursor.expect_word("stride")?;
                let stride = cursor.number()?;
                let bound = if cursor.eat_word("bound") { Some(cursor.number()?) } else { None };
                Op::Compute(Computation::Index { dst, base, index, stride, bound })
            }
            ("load", _) => {
                let access = access(cursor);
                Op::Load { dst, addr: self.operand(scope, cursor)?, access, place: self.place(cursor)? }
            }
            ("rmw", _) => {
                let op = cursor.word("an operation of rmw", RmwOp::from_name)?;
                let order = order(cursor);
                let [addr, value] = self.operands(scope, cursor)?;
                Op::Rmw { dst, op, addr, value, order, place: self.place(cursor)? }
            }
            ("cmpxchg", Some(success)) => {
                let orders = (order(cursor), order(cursor));
                let [addr, expected, new] = self.operands(scope, cursor)?;
                Op::CmpXchg { old: dst, success, addr, expected, new, orders, place: self.place(cursor)? }
            }
            ("alloca", _) => self.alloca(scope, cursor, dst)?,
            ("stack_save", _) => Op::StackSave { dst },
            ("nondet", _) => {
                let kind: fn(String) -> Input =
                    cursor.word("'call', 'uninitialised' or 'unmodelled'", |w| match w {
                        "call" => Some(Input::Call as fn(String) -> Input),
                        "uninitialised" => Some(Input::Uninitialised),
                        "unmodelled" => Some(Input::Unmodelled),
                        _ => None,
                    })?;
                let input = kind(cursor.text()?);
                let mut range = None;
                if cursor.eat_word("in") {
                    cursor.expect('[')?;
                    let [low, high] = self.operands(scope, cursor)?;
                    cursor.expect(']')?;
                    range = Some((low, high));
                }
                Op::Nondet { dst, range, input }
            }
            _ => return Ok(None),
        }))
    }

    fn alloca(&mut self, scope: &Scope, cursor: &mut Cursor, dst: Reg) -> Parsed<Op> {
        let size = self.operand(scope, cursor)?;
        cursor.expect_word("align")?;
        let align = cursor.number()?;
        let var = if cursor.eat_word("var") { Some(cursor.text()?) } else { None };
        let (ty, padding) = object_type(cursor)?;
        Ok(Op::Alloca { dst, size, align, var, ty, padding })
    }

    pub fn terminator(&self, scope: &Scope, cursor: &mut Cursor) -> Parsed<Terminator> {
        let expected = "a terminator: jump, branch, switch, return or unreachable";
        let word = cursor.word(expected, |w| {
            ["jump", "branch", "switch", "return", "unreachable"].into_iter().find(|known| *known == w)
        })?;
        Ok(match word {
            "jump" => Terminator::Jump(block(scope, cursor)?),
            "branch" => {
                let cond = self.operand(scope, cursor)?;
                cursor.expect(',')?;
                let then = block(scope, cursor)?;
                cursor.expect(',')?;
                Terminator::Branch { cond, then, otherwise: block(scope, cursor)? }
            }
            "switch" => {
                let value = self.operand(scope, cursor)?;
                cursor.expect('[')?;
                let cases = cursor.list(']', |cursor| {
                    let value = cursor.number()?;
                    cursor.expect(':')?;
                    Ok((value, block(scope, cursor)?))
                })?;
                cursor.expect(',')?;
                Terminator::Switch { value, cases, default: block(scope, cursor)? }
            }
            "return" => {
                let mut values = vec![];
                let nothing = matches!(cursor.peek(), None | Some(Token::Word(_)))
                    && !matches!(cursor.peek(), Some(Token::Word(w)) if matches!(w.as_str(), "true" | "false" | "null"));
                if !nothing {
                    values.push(self.operand(scope, cursor)?);
                    while cursor.eat(',') {
                        values.push(self.operand(scope, cursor)?);
                    }
                }
                Terminator::Return(values)
            }
            _ => Terminator::Unreachable,
        })
    }
}

/// Byte ranges: start and end.
type Padding = Vec<(u32, u32)>;

/// The C type of an object, and its padding, if they are given.
pub fn object_type(cursor: &mut Cursor) -> Parsed<(Option<TypeId>, Padding)> {
    let ty = if cursor.eat_word("type") { Some(cursor.type_id()?) } else { None };
    let mut padding = vec![];
    if cursor.eat_word("padding") {
        cursor.expect('[')?;
        padding = cursor.list(']', |cursor| {
            let start = cursor.number()?;
            cursor.expect(':')?;
            Ok((start, cursor.number()?))
        })?;
    }
    Ok((ty, padding))
}

pub fn block(scope: &Scope, cursor: &mut Cursor) -> Parsed<BlockId> {
    if cursor.eat('#') {
        let index: u32 = cursor.number()?;
        return if index == u32::MAX { cursor.error("a smaller number before") } else { Ok(BlockId::from_u32(index)) };
    }
    let label = cursor.peek().and_then(label_of);
    let Some(block) = label.and_then(|l| scope.blocks.get(&l.key).copied()) else {
        return cursor.error("a block of this function");
    };
    cursor.advance();
    Ok(block)
}

fn access(cursor: &mut Cursor) -> Access {
    if cursor.eat_word("volatile") {
        return Access::Volatile;
    }
    let order = if cursor.eat_word("atomic") { Some(MemoryOrder::SeqCst) } else { spelled_order(cursor) };
    order.map_or(Access::Plain, Access::Atomic)
}

fn order(cursor: &mut Cursor) -> MemoryOrder {
    spelled_order(cursor).unwrap_or(MemoryOrder::SeqCst)
}

/// An order that is spelled out.
fn spelled_order(cursor: &mut Cursor) -> Option<MemoryOrder> {
    MemoryOrder::ALL.into_iter().find(|order| cursor.eat_word(order.name()))
}
