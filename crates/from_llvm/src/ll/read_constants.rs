//! Constants, and operands in general.
//!
//! A constant is read knowing its type, which precedes it in the text; only
//! floats need it.

use selvedge_program::{CmpOp, FloatCmpOp};

use super::lexer::{Quoted, Token};
use super::reader::{Reader, Result};
use super::{ArithFlags, BinaryOp, CastOp, ConstExpr, Constant, Operand, Symbol, Type, TypedConstant, Value};

impl<'a> Reader<'a> {
    pub fn typed_constant(&mut self) -> Result<TypedConstant> {
        let ty = self.ty()?;
        let value = self.constant(&ty)?;
        Ok(TypedConstant { ty, value })
    }

    pub fn operand(&mut self) -> Result<Operand> {
        let ty = self.ty()?;
        if ty == Type::Metadata {
            let value = Value::Metadata(Box::new(self.md_value()?));
            return Ok(Operand { ty, value });
        }
        let value = self.value(&ty)?;
        Ok(Operand { ty, value })
    }

    /// A value of a type that has been read already.
    pub fn value(&mut self, ty: &Type) -> Result<Value> {
        match self.token {
            Token::Local(name) => {
                let id = self.local_mention(name);
                self.advance()?;
                Ok(Value::Local(id))
            }
            _ => self.constant(ty).map(Value::Const),
        }
    }

    pub fn constant(&mut self, ty: &Type) -> Result<Constant> {
        self.nested(|r| r.constant_inner(ty))
    }

    fn constant_inner(&mut self, ty: &Type) -> Result<Constant> {
        match self.token {
            Token::Number(text) => {
                let constant = match ty {
                    Type::Int(_) => self.integer(text)?,
                    _ => self.float(text, ty)?,
                };
                self.advance()?;
                Ok(constant)
            }
            Token::Global(name) => {
                let name = self.global_mention(name);
                self.advance()?;
                Ok(Constant::Global(name))
            }
            Token::Bytes(bytes) => {
                self.advance()?;
                let bytes = bytes.bytes();
                self.expect_length(ty, bytes.len())?;
                Ok(Constant::Bytes(bytes.into()))
            }
            Token::Punct(b'[') => {
                self.advance()?;
                let elements = self.constants_until(b']')?;
                self.expect_length(ty, elements.len())?;
                Ok(Constant::Array(elements))
            }
            Token::Punct(b'{') => {
                self.advance()?;
                let fields = self.constants_until(b'}')?;
                Ok(Constant::Struct { packed: false, fields })
            }
            Token::Punct(b'<') => {
                self.advance()?;
                if self.eat(b'{')? {
                    let fields = self.constants_until(b'}')?;
                    self.expect(b'>')?;
                    return Ok(Constant::Struct { packed: true, fields });
                }
                self.constants_until(b'>').map(Constant::Vector)
            }
            Token::Word(word) => self.word_constant(word),
            _ => self.unexpected("a value"),
        }
    }

    /// Refuses an array with another number of elements than its type says.
    fn expect_length(&self, ty: &Type, found: usize) -> Result<()> {
        match ty {
            Type::Array(length, _) if *length != found as u64 => {
                self.error(format!("an array of {length} elements has {found}"))
            }
            _ => Ok(()),
        }
    }

    fn constants_until(&mut self, close: u8) -> Result<Vec<TypedConstant>> {
        let mut constants = Vec::new();
        self.list_until(close, |r| {
            constants.push(r.typed_constant()?);
            Ok(())
        })?;
        Ok(constants)
    }

    fn integer(&self, text: &str) -> Result<Constant> {
        match text.parse() {
            Ok(value) => Ok(Constant::Int(value)),
            // The upper half of u128 is printed only for unsigned metadata.
            Err(_) => self.error(format!("`{text}` is no integer of at most 128 bits")),
        }
    }

    fn word_constant(&mut self, word: &str) -> Result<Constant> {
        let simple = match word {
            "true" => Constant::Int(1),
            "false" => Constant::Int(0),
            "null" => Constant::Null,
            "undef" => Constant::Undef,
            "poison" => Constant::Poison,
            "zeroinitializer" => Constant::Zero,
            "none" => Constant::None,
            _ => return self.compound_constant(word),
        };
        self.advance()?;
        Ok(simple)
    }

    fn compound_constant(&mut self, word: &str) -> Result<Constant> {
        let line = self.line;
        self.advance()?;
        if let Some(op) = CastOp::from_name(word) {
            return self.cast_expr(op);
        }
        if let Some(op) = BinaryOp::from_name(word) {
            let flags = self.arith_flags()?;
            let [lhs, rhs] = self.parenthesised_constants()?;
            return Ok(expr(ConstExpr::Binary { op, flags, lhs, rhs }));
        }
        match word {
            "getelementptr" => self.getelementptr_expr(),
            "icmp" => {
                let pred = self.int_predicate()?;
                let [lhs, rhs] = self.parenthesised_constants()?;
                Ok(expr(ConstExpr::Icmp { pred, lhs, rhs }))
            }
            "fcmp" => {
                let pred = self.float_predicate()?;
                let [lhs, rhs] = self.parenthesised_constants()?;
                Ok(expr(ConstExpr::Fcmp { pred, lhs, rhs }))
            }
            "fneg" => {
                let [value] = self.parenthesised_constants()?;
                Ok(expr(ConstExpr::FNeg(value)))
            }
            "select" => {
                let [cond, if_true, if_false] = self.parenthesised_constants()?;
                Ok(expr(ConstExpr::Select { cond, if_true, if_false }))
            }
            "extractelement" => {
                let [vector, index] = self.parenthesised_constants()?;
                Ok(expr(ConstExpr::ExtractElement { vector, index }))
            }
            "insertelement" => {
                let [vector, element, index] = self.parenthesised_constants()?;
                Ok(expr(ConstExpr::InsertElement { vector, element, index }))
            }
            "shufflevector" => {
                let [first, second, mask] = self.parenthesised_constants()?;
                Ok(expr(ConstExpr::ShuffleVector { first, second, mask }))
            }
            "extractvalue" => {
                self.expect(b'(')?;
                let aggregate = self.typed_constant()?;
                let indices = self.indices()?;
                self.expect(b')')?;
                Ok(expr(ConstExpr::ExtractValue { aggregate, indices }))
            }
            "insertvalue" => {
                self.expect(b'(')?;
                let aggregate = self.typed_constant()?;
                self.expect(b',')?;
                let element = self.typed_constant()?;
                let indices = self.indices()?;
                self.expect(b')')?;
                Ok(expr(ConstExpr::InsertValue { aggregate, element, indices }))
            }
            "splat" => {
                let [value] = self.parenthesised_constants()?;
                Ok(Constant::Splat(Box::new(value)))
            }
            "blockaddress" => {
                self.expect(b'(')?;
                let function = self.global_name()?;
                self.expect(b',')?;
                let block = match self.advance()? {
                    Token::Local(name) => self.intern(name),
                    _ => return self.unexpected("a block"),
                };
                self.expect(b')')?;
                Ok(Constant::BlockAddress { function, block })
            }
            "dso_local_equivalent" => self.global_name().map(Constant::DsoLocalEquivalent),
            "no_cfi" => self.global_name().map(Constant::NoCfi),
            "ptrauth" => {
                self.expect(b'(')?;
                let pointer = self.typed_constant()?;
                while self.eat(b',')? {
                    self.typed_constant()?;
                }
                self.expect(b')')?;
                Ok(Constant::PtrAuth(Box::new(pointer)))
            }
            _ => match hex_integer(word) {
                Some(value) => Ok(Constant::Int(value)),
                None => Err(super::ReadError { line, message: format!("unknown constant `{word}`") }),
            },
        }
    }

    fn cast_expr(&mut self, op: CastOp) -> Result<Constant> {
        self.arith_flags()?;
        self.expect(b'(')?;
        let value = self.typed_constant()?;
        self.expect_word("to")?;
        let to = self.ty()?;
        self.expect(b')')?;
        Ok(expr(ConstExpr::Cast { op, value, to }))
    }

    fn getelementptr_expr(&mut self) -> Result<Constant> {
        let inbounds = self.getelementptr_flags()?;
        self.expect(b'(')?;
        let source = self.ty()?;
        self.expect(b',')?;
        let base = self.typed_constant()?;
        let mut indices = Vec::new();
        while self.eat(b',')? {
            // Marks the index of a C++ vtable.
            if self.eat_word("inrange")? && self.is_punct(b'(') {
                self.parenthesised_text()?;
            }
            indices.push(self.typed_constant()?);
        }
        self.expect(b')')?;
        Ok(expr(ConstExpr::GetElementPtr { inbounds, source, base, indices }))
    }

    /// `inbounds`, `nuw`, `nusw`, `inrange(...)` in any order.
    pub fn getelementptr_flags(&mut self) -> Result<bool> {
        let mut inbounds = false;
        loop {
            match self.token {
                Token::Word("inbounds") => inbounds = true,
                Token::Word("nuw" | "nusw") => {}
                Token::Word("inrange") => {
                    self.advance()?;
                    self.parenthesised_text()?;
                    continue;
                }
                _ => return Ok(inbounds),
            }
            self.advance()?;
        }
    }

    /// `(constant, …)`, exactly as many as wanted.
    fn parenthesised_constants<const N: usize>(&mut self) -> Result<[TypedConstant; N]> {
        let line = self.line;
        self.expect(b'(')?;
        let constants = self.constants_until(b')')?;
        let found = constants.len();
        constants
            .try_into()
            .map_err(|_| super::ReadError { line, message: format!("expected {N} operands, found {found}") })
    }

    /// `, 1, 0` of extractvalue and insertvalue.
    pub fn indices(&mut self) -> Result<Vec<u32>> {
        let mut indices = Vec::new();
        while self.eat_comma_before_operand()? {
            indices.push(self.unsigned32()?);
        }
        Ok(indices)
    }

    fn global_name(&mut self) -> Result<Symbol> {
        let Token::Global(name) = self.token else {
            return self.unexpected("a global name");
        };
        let symbol = self.global_mention(name);
        self.advance()?;
        Ok(symbol)
    }

    /// Flags of arithmetic, casts and comparisons; those that only permit
    /// rewrites (fast-math, `samesign`) are dropped.
    pub fn arith_flags(&mut self) -> Result<ArithFlags> {
        let mut flags = ArithFlags::default();
        loop {
            match self.token {
                Token::Word("nsw") => flags.nsw = true,
                Token::Word("nuw") => flags.nuw = true,
                Token::Word("exact") => flags.exact = true,
                Token::Word("disjoint") => flags.disjoint = true,
                Token::Word("nneg") => flags.nneg = true,
                Token::Word(
                    "fast" | "nnan" | "ninf" | "nsz" | "arcp" | "contract" | "afn" | "reassoc" | "samesign",
                ) => {}
                _ => return Ok(flags),
            }
            self.advance()?;
        }
    }

    pub fn int_predicate(&mut self) -> Result<CmpOp> {
        self.keyword(CmpOp::from_name, "a predicate of icmp")
    }

    pub fn float_predicate(&mut self) -> Result<FloatCmpOp> {
        self.keyword(FloatCmpOp::from_name, "a predicate of fcmp")
    }

    /// A label operand: `label %x`.
    pub fn label(&mut self) -> Result<super::BlockId> {
        self.expect_word("label")?;
        self.block()
    }

    /// `%x` where only a block can be meant.
    pub fn block(&mut self) -> Result<super::BlockId> {
        let Token::Local(name) = self.token else { return self.unexpected("a block") };
        let id = self.block_mention(name);
        self.advance()?;
        Ok(id)
    }

    /// The name after `%`, if that is next and `=` follows.
    pub fn result_name(&mut self) -> Result<Option<Quoted<'a>>> {
        let Token::Local(name) = self.token else { return Ok(None) };
        self.advance()?;
        self.expect(b'=')?;
        Ok(Some(name))
    }
}

fn expr(e: ConstExpr) -> Constant {
    Constant::Expr(Box::new(e))
}

/// `u0x1F` or `s0xFF`; the sign bit of the latter is the top bit written.
fn hex_integer(word: &str) -> Option<i128> {
    let (signed, digits) = match word.strip_prefix("u0x") {
        Some(digits) => (false, digits),
        None => (true, word.strip_prefix("s0x")?),
    };
    let value = u128::from_str_radix(digits, 16).ok()?;
    let unused = 128u32.checked_sub(4 * digits.len() as u32)?;
    Some(if signed { ((value << unused) as i128) >> unused } else { value as i128 })
}
