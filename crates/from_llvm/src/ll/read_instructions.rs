//! Instructions, except calls (`read_calls.rs`).

use super::lexer::Token;
use super::reader::{Reader, Result};
use super::{
    Atomicity, BinaryOp, CastOp, Instruction, LandingPadClause, MdId, Op, Operand, Ordering, ReadError, RmwOp, Type,
    Value,
};

impl<'a> Reader<'a> {
    /// One instruction with its result and attachments.
    pub fn instruction(&mut self) -> Result<Instruction> {
        let text_line = self.line;
        if let Token::DebugRecord(kind) = self.token {
            let (record, location) = self.debug_record(kind)?;
            return Ok(Instruction { result: None, op: Op::Debug(record), location, text_line });
        }
        let name = self.result_name()?;
        let Token::Word(opcode) = self.token else {
            return self.unexpected("an instruction");
        };
        self.advance()?;
        let op = self.op(opcode, text_line)?;
        let produces = op.result_type(&self.module) != Type::Void;
        let result = match name {
            // The aggregate of an extractvalue may be of a type that is only
            // defined further on.
            Some(_) if !produces && !matches!(op, Op::ExtractValue { .. }) => {
                let message = format!("`{opcode}` has no result to name");
                return Err(ReadError { line: text_line, message });
            }
            None if !produces => None,
            name => Some(self.define_local(name)?),
        };
        let location = self.attachments()?;
        Ok(Instruction { result, op, location, text_line })
    }

    /// `, !dbg !7, !tbaa !9`: the debug location; others are dropped.
    fn attachments(&mut self) -> Result<Option<MdId>> {
        let mut location = None;
        while self.eat(b',')? {
            let Token::MdName(name) = self.token else {
                return self.unexpected("a metadata attachment");
            };
            self.advance()?;
            let reference = self.md_attachment()?;
            if name.0 == "dbg" {
                location = reference;
            }
        }
        Ok(location)
    }

    fn op(&mut self, opcode: &'a str, line: u32) -> Result<Op> {
        if let Some(op) = BinaryOp::from_name(opcode) {
            let flags = self.arith_flags()?;
            let (ty, lhs, rhs) = self.two_of_a_type()?;
            return Ok(Op::Binary { op, flags, ty, lhs, rhs });
        }
        if let Some(op) = CastOp::from_name(opcode) {
            let flags = self.arith_flags()?;
            let value = self.operand()?;
            self.expect_word("to")?;
            let to = self.ty()?;
            return Ok(Op::Cast { op, flags, value, to });
        }
        match opcode {
            "load" => self.load(),
            "store" => self.store(),
            "alloca" => self.alloca(),
            "getelementptr" => self.getelementptr(),
            "call" | "tail" | "musttail" | "notail" => self.call(opcode),
            "br" => self.br(),
            "icmp" => {
                self.arith_flags()?;
                let pred = self.int_predicate()?;
                let (ty, lhs, rhs) = self.two_of_a_type()?;
                Ok(Op::Icmp { pred, ty, lhs, rhs })
            }
            "fcmp" => {
                self.arith_flags()?;
                let pred = self.float_predicate()?;
                let (ty, lhs, rhs) = self.two_of_a_type()?;
                Ok(Op::Fcmp { pred, ty, lhs, rhs })
            }
            "ret" => {
                // `void (i32)* null` also begins with `void`: only the whole type tells.
                let ty = self.ty()?;
                if ty == Type::Void {
                    return Ok(Op::Ret(None));
                }
                let value = self.value(&ty)?;
                Ok(Op::Ret(Some(Operand { ty, value })))
            }
            "phi" => self.phi(),
            "select" => {
                self.arith_flags()?;
                let cond = self.operand()?;
                self.expect(b',')?;
                let if_true = self.operand()?;
                self.expect(b',')?;
                let if_false = self.operand()?;
                Ok(Op::Select { cond, if_true, if_false })
            }
            "switch" => self.switch(),
            "unreachable" => Ok(Op::Unreachable),
            "extractvalue" => {
                let aggregate = self.operand()?;
                let indices = self.indices()?;
                Ok(Op::ExtractValue { aggregate, indices })
            }
            "insertvalue" => {
                let aggregate = self.operand()?;
                self.expect(b',')?;
                let element = self.operand()?;
                let indices = self.indices()?;
                Ok(Op::InsertValue { aggregate, element, indices })
            }
            "extractelement" => {
                let vector = self.operand()?;
                self.expect(b',')?;
                let index = self.operand()?;
                Ok(Op::ExtractElement { vector, index })
            }
            "insertelement" => {
                let vector = self.operand()?;
                self.expect(b',')?;
                let element = self.operand()?;
                self.expect(b',')?;
                let index = self.operand()?;
                Ok(Op::InsertElement { vector, element, index })
            }
            "shufflevector" => {
                let first = self.operand()?;
                self.expect(b',')?;
                let second = self.operand()?;
                self.expect(b',')?;
                let mask = self.operand()?;
                Ok(Op::ShuffleVector { first, second, mask })
            }
            "fence" => self.atomicity().map(Op::Fence),
            "cmpxchg" => self.cmpxchg(),
            "atomicrmw" => self.atomicrmw(),
            "fneg" => {
                self.arith_flags()?;
                self.operand().map(Op::FNeg)
            }
            "freeze" => self.operand().map(Op::Freeze),
            "va_arg" => {
                let list = self.operand()?;
                self.expect(b',')?;
                let ty = self.ty()?;
                Ok(Op::VaArg { list, ty })
            }
            "indirectbr" => {
                let address = self.operand()?;
                self.expect(b',')?;
                let targets = self.label_list()?;
                Ok(Op::IndirectBr { address, targets })
            }
            "invoke" => self.invoke(),
            "callbr" => self.callbr(),
            "resume" => self.operand().map(Op::Resume),
            "landingpad" => self.landingpad(),
            _ => Err(ReadError { line, message: format!("unknown instruction `{opcode}`") }),
        }
    }

    /// `T a, b`
    fn two_of_a_type(&mut self) -> Result<(Type, Value, Value)> {
        let ty = self.ty()?;
        let lhs = self.value(&ty)?;
        self.expect(b',')?;
        let rhs = self.value(&ty)?;
        Ok((ty, lhs, rhs))
    }

    fn br(&mut self) -> Result<Op> {
        if self.is_word("label") {
            return self.label().map(Op::Br);
        }
        let cond = self.operand()?;
        self.expect(b',')?;
        let if_true = self.label()?;
        self.expect(b',')?;
        let if_false = self.label()?;
        Ok(Op::CondBr { cond, if_true, if_false })
    }

    fn switch(&mut self) -> Result<Op> {
        let value = self.operand()?;
        self.expect(b',')?;
        let default = self.label()?;
        self.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.eat(b']')? {
            let case = self.typed_constant()?;
            self.expect(b',')?;
            cases.push((case.value, self.label()?));
        }
        Ok(Op::Switch { value, default, cases })
    }

    /// `[label %a, label %b]`
    pub fn label_list(&mut self) -> Result<Vec<super::BlockId>> {
        let mut labels = Vec::new();
        self.expect(b'[')?;
        self.list_until(b']', |r| {
            labels.push(r.label()?);
            Ok(())
        })?;
        Ok(labels)
    }

    fn phi(&mut self) -> Result<Op> {
        self.arith_flags()?;
        let ty = self.ty()?;
        let mut incoming = Vec::new();
        loop {
            self.expect(b'[')?;
            let value = self.value(&ty)?;
            self.expect(b',')?;
            incoming.push((value, self.block()?));
            self.expect(b']')?;
            if !self.eat_comma_before_operand()? {
                return Ok(Op::Phi { ty, incoming });
            }
        }
    }

    fn alloca(&mut self) -> Result<Op> {
        while self.eat_word("inalloca")? || self.eat_word("swifterror")? {}
        let ty = self.ty()?;
        let (mut count, mut align, mut addrspace) = (None, None, 0);
        while self.eat_comma_before_operand()? {
            match self.token {
                Token::Word("align") => {
                    self.advance()?;
                    align = Some(self.unsigned()?);
                }
                Token::Word("addrspace") => addrspace = self.addrspace()?,
                _ => count = Some(self.operand()?),
            }
        }
        Ok(Op::Alloca { ty, count, align, addrspace })
    }

    fn load(&mut self) -> Result<Op> {
        let atomic = self.eat_word("atomic")?;
        let volatile = self.eat_word("volatile")?;
        let ty = self.ty()?;
        self.expect(b',')?;
        let pointer = self.operand()?;
        let atomic = if atomic { Some(self.atomicity()?) } else { None };
        let align = self.trailing_align()?;
        Ok(Op::Load { ty, pointer, volatile, atomic, align })
    }

    fn store(&mut self) -> Result<Op> {
        let atomic = self.eat_word("atomic")?;
        let volatile = self.eat_word("volatile")?;
        let value = self.operand()?;
        self.expect(b',')?;
        let pointer = self.operand()?;
        let atomic = if atomic { Some(self.atomicity()?) } else { None };
        let align = self.trailing_align()?;
        Ok(Op::Store { value, pointer, volatile, atomic, align })
    }

    fn cmpxchg(&mut self) -> Result<Op> {
        let weak = self.eat_word("weak")?;
        let volatile = self.eat_word("volatile")?;
        let pointer = self.operand()?;
        self.expect(b',')?;
        let expected = self.operand()?;
        self.expect(b',')?;
        let new = self.operand()?;
        let success = self.atomicity()?;
        let failure = self.ordering()?;
        let align = self.trailing_align()?;
        Ok(Op::CmpXchg { weak, volatile, pointer, expected, new, success, failure, align })
    }

    fn atomicrmw(&mut self) -> Result<Op> {
        let volatile = self.eat_word("volatile")?;
        let op = self.keyword(RmwOp::from_name, "an operation of atomicrmw")?;
        let pointer = self.operand()?;
        self.expect(b',')?;
        let value = self.operand()?;
        let atomic = self.atomicity()?;
        let align = self.trailing_align()?;
        Ok(Op::AtomicRmw { op, volatile, pointer, value, atomic, align })
    }

    /// `[syncscope("...")] ordering`
    fn atomicity(&mut self) -> Result<Atomicity> {
        let mut single_thread = false;
        if self.eat_word("syncscope")? {
            self.expect(b'(')?;
            single_thread = self.string()?.0 == "singlethread";
            self.expect(b')')?;
        }
        let ordering = self.ordering()?;
        Ok(Atomicity { ordering, single_thread })
    }

    fn ordering(&mut self) -> Result<Ordering> {
        self.keyword(Ordering::from_name, "a memory ordering")
    }

    fn trailing_align(&mut self) -> Result<Option<u64>> {
        if !self.eat_comma_before_operand()? {
            return Ok(None);
        }
        self.expect_word("align")?;
        self.unsigned().map(Some)
    }

    fn getelementptr(&mut self) -> Result<Op> {
        let inbounds = self.getelementptr_flags()?;
        let source = self.ty()?;
        self.expect(b',')?;
        let base = self.operand()?;
        let mut indices = Vec::new();
        while self.eat_comma_before_operand()? {
            indices.push(self.operand()?);
        }
        Ok(Op::GetElementPtr { inbounds, source, base, indices })
    }

    fn landingpad(&mut self) -> Result<Op> {
        let ty = self.ty()?;
        let (mut cleanup, mut clauses) = (false, Vec::new());
        loop {
            match self.token {
                Token::Word("cleanup") => {
                    self.advance()?;
                    cleanup = true;
                }
                Token::Word("catch") => {
                    self.advance()?;
                    clauses.push(LandingPadClause::Catch(self.operand()?));
                }
                Token::Word("filter") => {
                    self.advance()?;
                    clauses.push(LandingPadClause::Filter(self.operand()?));
                }
                _ => return Ok(Op::LandingPad { ty, cleanup, clauses }),
            }
        }
    }
}
