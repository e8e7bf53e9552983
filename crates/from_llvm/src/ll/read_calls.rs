//! Calls, inline assembly, and debug records, which up to LLVM 18 are calls of
//! `llvm.dbg.*` and from 19 on records of their own.

use std::sync::Arc;

use super::lexer::Token;
use super::reader::{Reader, Result};
use super::{
    Arg, Attributes, Call, DebugKind, DebugRecord, FunctionType, InlineAsm, MdId, MdValue, Op, Operand, ParamAttrs,
    Symbol, TailKind, Type, Value,
};

impl<'a> Reader<'a> {
    /// A call whose first word, `call` or a kind of tail call, is consumed.
    pub fn call(&mut self, first: &str) -> Result<Op> {
        let tail = match TailKind::from_name(first) {
            Some(kind) => {
                self.expect_word("call")?;
                kind
            }
            None => TailKind::None,
        };
        let call = self.call_from_type(tail)?;
        if let Some(kind) = intrinsic_kind(&call) {
            let values = call.args.into_iter().filter_map(|arg| match arg.value {
                Value::Metadata(value) => Some(*value),
                _ => None,
            });
            return Ok(Op::Debug(record(kind, values.collect())));
        }
        Ok(Op::Call(Box::new(call)))
    }

    /// The part that `call`, `invoke` and `callbr` share.
    fn call_from_type(&mut self, tail: TailKind) -> Result<Call> {
        let ret_attrs = self.param_attrs()?;
        let ty = self.ty()?;
        let callee = self.callee()?;
        let args = self.call_args()?;
        let function_type = match ty {
            Type::Function(function_type) => (*function_type).clone(),
            ret => {
                let params = args.iter().map(|arg| arg.ty.clone()).collect();
                FunctionType { ret, params, vararg: false }
            }
        };
        let mut call =
            Call { tail, ret_attrs, function_type, callee, args, attrs: Attributes::default(), bundles: Vec::new() };
        self.call_suffix(&mut call)?;
        Ok(call)
    }

    fn callee(&mut self) -> Result<Value> {
        if self.eat_word("asm")? {
            return self.inline_asm();
        }
        self.value(&Type::Ptr(0))
    }

    fn inline_asm(&mut self) -> Result<Value> {
        let mut asm = InlineAsm {
            text: String::new(),
            constraints: String::new(),
            sideeffect: self.eat_word("sideeffect")?,
            alignstack: self.eat_word("alignstack")?,
            intel_dialect: self.eat_word("inteldialect")?,
            unwind: self.eat_word("unwind")?,
        };
        asm.text = self.string()?.text().into_owned();
        self.expect(b',')?;
        asm.constraints = self.string()?.text().into_owned();
        Ok(Value::Asm(Arc::new(asm)))
    }

    fn call_args(&mut self) -> Result<Vec<Arg>> {
        let mut args = Vec::new();
        self.expect(b'(')?;
        self.list_until(b')', |r| {
            // A musttail call that hands its variable arguments on.
            if r.token == Token::Ellipsis {
                return r.advance().map(drop);
            }
            let ty = r.ty()?;
            if ty == Type::Metadata {
                let value = Value::Metadata(Box::new(r.md_value()?));
                args.push(Arg { ty, attrs: ParamAttrs::default(), value });
                return Ok(());
            }
            let attrs = r.param_attrs()?;
            let value = r.value(&ty)?;
            args.push(Arg { ty, attrs, value });
            Ok(())
        })?;
        Ok(args)
    }

    /// Attributes and operand bundles after the arguments.
    fn call_suffix(&mut self, call: &mut Call) -> Result<()> {
        while !self.at_line_start() {
            match self.token {
                Token::AttrGroup(group) => self.attribute_group(group, &mut call.attrs)?,
                Token::Str(_) => {
                    let attribute = self.string_attribute()?;
                    call.attrs.own.push(attribute);
                }
                // The words that follow an invoke and a callbr.
                Token::Word("to") => break,
                Token::Word(word) => {
                    let attribute = self.word_attribute(word)?;
                    call.attrs.own.push(attribute);
                }
                Token::Punct(b'[') => call.bundles = self.bundles()?,
                _ => break,
            }
        }
        Ok(())
    }

    /// `[ "name"(T v, …), … ]`
    fn bundles(&mut self) -> Result<Vec<(Symbol, Vec<Operand>)>> {
        let mut bundles = Vec::new();
        self.expect(b'[')?;
        self.list_until(b']', |r| {
            let name = r.string()?;
            let name = r.intern(name);
            let mut operands = Vec::new();
            r.expect(b'(')?;
            r.list_until(b')', |r| {
                operands.push(r.operand()?);
                Ok(())
            })?;
            bundles.push((name, operands));
            Ok(())
        })?;
        Ok(bundles)
    }

    pub fn invoke(&mut self) -> Result<Op> {
        let call = Box::new(self.call_from_type(TailKind::None)?);
        self.expect_word("to")?;
        let normal = self.label()?;
        self.expect_word("unwind")?;
        let unwind = self.label()?;
        Ok(Op::Invoke { call, normal, unwind })
    }

    pub fn callbr(&mut self) -> Result<Op> {
        let call = Box::new(self.call_from_type(TailKind::None)?);
        self.expect_word("to")?;
        let fallthrough = self.label()?;
        let indirect = self.label_list()?;
        Ok(Op::CallBr { call, fallthrough, indirect })
    }

    /// `#dbg_declare(ptr %x, !12, !DIExpression(), !13)`, and its location,
    /// which comes last.
    pub fn debug_record(&mut self, word: &str) -> Result<(DebugRecord, Option<MdId>)> {
        let kind = match word {
            "dbg_declare" => DebugKind::Declare,
            "dbg_value" => DebugKind::Value,
            "dbg_assign" => DebugKind::Assign,
            "dbg_label" => DebugKind::Label,
            _ => return self.error(format!("unknown debug record `#{word}`")),
        };
        self.advance()?;
        let mut values = Vec::new();
        self.expect(b'(')?;
        self.list_until(b')', |r| {
            values.push(r.md_value()?);
            Ok(())
        })?;
        let location = match values.pop() {
            Some(MdValue::Ref(id)) => Some(id),
            _ => None,
        };
        Ok((record(kind, values), location))
    }
}

/// The kind of record a call is, if it is one of `llvm.dbg.*`.
fn intrinsic_kind(call: &Call) -> Option<DebugKind> {
    match call.callee_name()?.strip_prefix("llvm.dbg.")? {
        "declare" | "addr" => Some(DebugKind::Declare),
        "value" => Some(DebugKind::Value),
        "assign" => Some(DebugKind::Assign),
        "label" => Some(DebugKind::Label),
        _ => None,
    }
}

/// A record from its operands: value, variable, expression, and more for
/// assignment tracking; a label has only itself.
fn record(kind: DebugKind, operands: Vec<MdValue>) -> DebugRecord {
    let mut operands = operands.into_iter();
    let values = match kind {
        DebugKind::Label => Vec::new(),
        _ => operands.next().map(described_values).unwrap_or_default(),
    };
    let variable = match operands.next() {
        Some(MdValue::Ref(id)) => Some(id),
        _ => None,
    };
    let has_expression = match operands.next() {
        Some(MdValue::Node(node)) => !node.elements.is_empty(),
        Some(MdValue::Ref(_)) => true,
        _ => false,
    };
    DebugRecord { kind, values, variable, has_expression }
}

fn described_values(value: MdValue) -> Vec<Operand> {
    match value {
        MdValue::Value(operand) => vec![operand],
        // `!DIArgList(i32 %a, i32 %b)`, or `!{}` for nothing.
        MdValue::Node(node) => node.elements.into_iter().flat_map(described_values).collect(),
        _ => Vec::new(),
    }
}
