//! Reading: first the names of everything, so that uses may stand before definitions, then line by line.

use super::lex::{Cursor, Label, Line, Token, lines};
use super::words::{MODEL, meaning};
use crate::coverage::Assumption;
use crate::ir::*;
use crate::observers::{Observer, Observers, Specification};
use crate::source::{DebugType, Field, FileId, Loc, SourceMap};
use cranelift_entity::{EntityRef, PrimaryMap};
use std::collections::HashMap;

/// The text is not a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct ParseError {
    pub line: usize,
    pub expected: String,
    pub found: String,
}

/// Reads what [`super::print`] wrote, or a person.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let lines = lines(text)?;
    let Some((head, rest)) = lines.split_first() else {
        return Err(ParseError { line: 1, expected: "'program'".into(), found: "nothing".into() });
    };
    let mut reader = Reader { symbols: symbols(&lines)?, places: HashMap::new(), program: head_line(head)? };
    let mut cursor = Cursor::new(head);
    while cursor.peek().is_some() && !cursor.eat_word("entry") {
        cursor.next();
    }
    reader.program.entry = reader.func(&mut cursor)?;
    cursor.end()?;

    let mut rest = rest.iter();
    while let Some(line) = rest.next() {
        if is_word(line, 0, "fn") {
            let mut closed = false;
            let body: Vec<&Line> = rest
                .by_ref()
                .take_while(|l| {
                    closed = l.tokens == [Token::Punct('}')];
                    !closed
                })
                .collect();
            if !closed {
                return Cursor::new(line).error("a '}' that ends this function");
            }
            reader.function(line, &body)?;
        } else {
            reader.declaration(line)?;
        }
    }
    Ok(reader.program)
}

fn is_word(line: &Line, index: usize, word: &str) -> bool {
    matches!(line.tokens.get(index), Some(Token::Word(w)) if w == word)
}

fn head_line(line: &Line) -> Result<Program, ParseError> {
    let mut cursor = Cursor::new(line);
    cursor.expect_word("program")?;
    let data_model = cursor.word("'ilp32' or 'lp64'", |w| meaning(MODEL, w))?;
    cursor.expect_word("entry")?;
    Ok(Program {
        data_model,
        functions: PrimaryMap::new(),
        globals: PrimaryMap::new(),
        places: PrimaryMap::new(),
        source: SourceMap::default(),
        entry: FuncId::new(0),
        unmodelled: vec![],
        assumptions: vec![],
        observers: Observers::default(),
    })
}

/// Functions and globals by label.
fn symbols(lines: &[Line]) -> Result<HashMap<String, Operand>, ParseError> {
    let mut symbols = HashMap::new();
    let (mut functions, mut globals) = (0, 0);
    for line in lines {
        let Some(Token::Symbol(label)) = line.tokens.get(1) else { continue };
        let symbol = if is_word(line, 0, "fn") {
            functions += 1;
            Operand::Func(FuncId::new(functions - 1))
        } else if is_word(line, 0, "global") {
            globals += 1;
            Operand::Global { id: GlobalId::new(globals - 1), offset: 0 }
        } else {
            continue;
        };
        if symbols.insert(label.key.clone(), symbol).is_some() {
            let found = format!("@{} again", label.key);
            return Err(ParseError { line: line.number, expected: "a new name".into(), found });
        }
    }
    Ok(symbols)
}

pub(super) struct Reader {
    symbols: HashMap<String, Operand>,
    places: HashMap<String, PlaceId>,
    program: Program,
}

impl Reader {
    /// A function, or a global without offset.
    pub fn symbol(&self, cursor: &mut Cursor) -> Result<Operand, ParseError> {
        let Some(Token::Symbol(label)) = cursor.peek() else { return cursor.error("a function or global") };
        let raw = |prefix: &str| label.key.strip_prefix(prefix)?.parse::<u32>().ok().filter(|n| *n != u32::MAX);
        let symbol = match (raw("#fn"), raw("#global")) {
            (Some(n), _) => Some(Operand::Func(FuncId::from_u32(n))),
            (_, Some(n)) => Some(Operand::Global { id: GlobalId::from_u32(n), offset: 0 }),
            _ => self.symbols.get(&label.key).copied(),
        };
        let Some(symbol) = symbol else { return cursor.error("a function or global of this program") };
        cursor.next();
        Ok(symbol)
    }

    pub fn func(&self, cursor: &mut Cursor) -> Result<FuncId, ParseError> {
        let mut ahead = cursor.clone();
        let Operand::Func(id) = self.symbol(&mut ahead)? else { return cursor.error("a function") };
        *cursor = ahead;
        Ok(id)
    }

    /// An optional place: its text, or its number.
    pub fn place(&mut self, cursor: &mut Cursor) -> Result<Option<PlaceId>, ParseError> {
        match cursor.peek() {
            Some(Token::Text(_)) => {
                let text = cursor.text()?;
                if let Some(place) = self.places.get(&text) {
                    return Ok(Some(*place));
                }
                Ok(Some(self.new_place(text)))
            }
            Some(Token::Word(word)) if word.starts_with('p') => {
                cursor.numbered('p').map(|n| Some(PlaceId::from_u32(n)))
            }
            _ => Ok(None),
        }
    }

    fn new_place(&mut self, text: String) -> PlaceId {
        let id = self.program.places.push(text.clone());
        *self.places.entry(text).or_insert(id)
    }

    fn declaration(&mut self, line: &Line) -> Result<(), ParseError> {
        let mut cursor = Cursor::new(line);
        let source = &mut self.program.source;
        if cursor.eat_word("file") {
            in_order(&mut cursor, 'f', source.files.len())?;
            source.files.push(cursor.text()?);
        } else if cursor.eat_word("type") {
            in_order(&mut cursor, 't', source.types.len())?;
            cursor.expect('=')?;
            source.types.push(debug_type(&mut cursor)?);
        } else if cursor.eat_word("place") {
            in_order(&mut cursor, 'p', self.program.places.len())?;
            let text = cursor.text()?;
            self.new_place(text);
        } else if cursor.eat_word("unmodelled") {
            let name = cursor.text()?;
            self.program.unmodelled.push(Unmodelled { name, loc: loc(&mut cursor, None)? });
        } else if cursor.eat_word("assumption") {
            let assumption = assumption(&mut cursor)?;
            self.program.assumptions.push(assumption);
        } else if cursor.eat_word("invariant") {
            let invariant = self.observer(&mut cursor)?;
            self.program.observers.invariants.push(invariant);
        } else if cursor.eat_word("proposition") {
            let proposition = self.observer(&mut cursor)?;
            self.program.observers.propositions.push(proposition);
        } else if cursor.eat_word("abstraction") {
            self.program.observers.abstraction = Some(self.observer(&mut cursor)?);
        } else if cursor.eat_word("init") {
            self.program.observers.init = Some(cursor.text()?);
        } else if cursor.eat_word("ltl") {
            let text = cursor.clone().text()?;
            let Ok(specification) = Specification::new(&text, false) else { return cursor.error("a formula") };
            cursor.text()?;
            let fair = cursor.eat_word("fair");
            self.program.observers.specification = Some(Specification { fair, ..specification });
        } else if cursor.eat_word("global") {
            let global = self.global(&mut cursor)?;
            self.program.globals.push(global);
        } else {
            return cursor.error("a declaration (file, type, place, unmodelled, assumption, invariant, proposition, abstraction, init, ltl, global, fn)");
        }
        cursor.end()
    }

    fn observer(&self, cursor: &mut Cursor) -> Result<Observer, ParseError> {
        Ok(Observer { name: cursor.text()?, function: self.func(cursor)? })
    }

    fn global(&mut self, cursor: &mut Cursor) -> Result<Global, ParseError> {
        let name = symbol_name(cursor)?;
        let size = cursor.number()?;
        cursor.expect_word("align")?;
        let align = cursor.number()?;
        let origin = if cursor.eat_word("model") { Origin::Model } else { Origin::User };
        let thread_local = cursor.eat_word("thread_local");
        let constant = cursor.eat_word("constant");
        let ty = if cursor.eat_word("type") { Some(cursor.type_id()?) } else { None };
        let mut init = vec![];
        if cursor.eat('=') {
            let Some(bytes) = cursor.text().ok().and_then(|hex| bytes(&hex)) else {
                return cursor.error("bytes in hex");
            };
            init = bytes;
        }
        let mut relocations = vec![];
        if cursor.eat_word("pointers") {
            cursor.expect('[')?;
            relocations = cursor.list(']', |cursor| {
                let at = cursor.number()?;
                cursor.expect(':')?;
                let bytes = cursor.number()?;
                Ok(Relocation { at, bytes, target: self.constant_operand(cursor)? })
            })?;
        }
        let loc = loc(cursor, None)?;
        Ok(Global { name, origin, size, align, init, relocations, thread_local, constant, ty, loc })
    }

    fn function(&mut self, head: &Line, body: &[&Line]) -> Result<(), ParseError> {
        let mut cursor = Cursor::new(head);
        cursor.expect_word("fn")?;
        let name = symbol_name(&mut cursor)?;
        let mut scope = Scope::default();
        cursor.expect('(')?;
        // A parameter with a type is declared here, one without is declared below.
        let params = cursor.list(')', |cursor| {
            let Some(Token::Reg(label)) = cursor.peek() else { return cursor.error("a register") };
            let mut ahead = cursor.clone();
            ahead.next();
            if ahead.eat(':') {
                let ty = ahead.ty()?;
                let debug = if matches!(ahead.peek(), Some(Token::Word(_))) { Some(ahead.type_id()?) } else { None };
                scope.declare(cursor, RegInfo { ty, name: label.name.clone(), debug }, label)?;
            }
            *cursor = ahead;
            Ok(label)
        })?;
        let mut returns = vec![];
        if cursor.eat('-') {
            cursor.expect('>')?;
            returns = if cursor.eat('(') { cursor.list(')', Cursor::ty)? } else { vec![cursor.ty()?] };
        }
        let origin = if cursor.eat_word("model") { Origin::Model } else { Origin::User };
        let loc = loc(&mut cursor, None)?;
        cursor.expect('{')?;
        cursor.end()?;
        scope.file = Some(loc.file);

        let start = body.iter().position(|line| block_label(line).is_some()).unwrap_or(body.len());
        let (declarations, code) = body.split_at(start);
        for line in declarations {
            scope.declarations(&mut Cursor::new(line))?;
        }
        let starts: Vec<usize> = (0..code.len()).filter(|i| block_label(code[*i]).is_some()).collect();
        for (index, start) in starts.iter().enumerate() {
            let Some(label) = block_label(code[*start]) else { continue };
            if scope.blocks.insert(label.key, BlockId::new(index)).is_some() {
                return Cursor::new(code[*start]).error("a new label");
            }
        }
        let mut blocks = PrimaryMap::new();
        for (index, start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(code.len());
            let Some((last, insts)) = code[start + 1..end].split_last() else {
                return Cursor::new(code[*start]).error("a terminator at the end of this block");
            };
            let insts = insts.iter().map(|line| self.inst(&scope, &mut Cursor::new(line))).collect::<Result<_, _>>()?;
            let mut cursor = Cursor::new(last);
            let term = self.terminator(&scope, &mut cursor)?;
            let loc = scope.loc(&mut cursor)?;
            cursor.end()?;
            let name = block_label(code[*start]).and_then(|l| l.name).unwrap_or_default();
            blocks.push(Block { name, insts, term, loc });
        }
        let params = params
            .into_iter()
            .map(|label| match scope.find(label) {
                Some(reg) => Ok(reg),
                None => Cursor::new(head).error(&format!("a declaration of %{}", label.key)),
            })
            .collect::<Result<_, _>>()?;
        self.program.functions.push(Function { name, origin, params, returns, regs: scope.infos, blocks, loc });
        Ok(())
    }
}

/// The labels inside of one function.
#[derive(Default)]
pub(super) struct Scope {
    infos: PrimaryMap<Reg, RegInfo>,
    regs: HashMap<String, Reg>,
    pub blocks: HashMap<String, BlockId>,
    file: Option<FileId>,
}

impl Scope {
    fn declare(&mut self, cursor: &Cursor, info: RegInfo, label: &Label) -> Result<(), ParseError> {
        let reg = self.infos.push(info);
        match self.regs.insert(label.key.clone(), reg) {
            None => Ok(()),
            Some(_) => cursor.error("a register not declared before"),
        }
    }

    /// `i32 %a, %b: t3`
    fn declarations(&mut self, cursor: &mut Cursor) -> Result<(), ParseError> {
        let ty = cursor.ty()?;
        loop {
            let Some(Token::Reg(label)) = cursor.peek() else { return cursor.error("a register") };
            let mut ahead = cursor.clone();
            ahead.next();
            let debug = if ahead.eat(':') { Some(ahead.type_id()?) } else { None };
            self.declare(cursor, RegInfo { ty, name: label.name.clone(), debug }, label)?;
            *cursor = ahead;
            if !cursor.eat(',') {
                return cursor.end();
            }
        }
    }

    pub fn find(&self, label: &Label) -> Option<Reg> {
        match label.key.strip_prefix('#') {
            Some(raw) => raw.parse().ok().filter(|n| *n != u32::MAX).map(Reg::from_u32),
            None => self.regs.get(&label.key).copied(),
        }
    }

    pub fn loc(&self, cursor: &mut Cursor) -> Result<Loc, ParseError> {
        loc(cursor, self.file)
    }
}

/// `at f1:3:2`; the file may be left out if one is expected.
fn loc(cursor: &mut Cursor, file: Option<FileId>) -> Result<Loc, ParseError> {
    if !cursor.eat_word("at") {
        return Ok(SourceMap::NOWHERE);
    }
    let file = match (cursor.peek(), file) {
        (Some(Token::Number(_)), Some(file)) => file,
        _ => {
            let file = FileId::from_u32(cursor.numbered('f')?);
            cursor.expect(':')?;
            file
        }
    };
    let line = cursor.number()?;
    let column = if cursor.eat(':') { cursor.number()? } else { 0 };
    Ok(Loc { file, line, column })
}

/// The label of a line that is nothing but `label:`.
/// Its kind, and what the kind leaves open.
fn assumption(cursor: &mut Cursor) -> Result<Assumption, ParseError> {
    let kind = cursor.text()?;
    let mut details = Vec::new();
    while cursor.peek().is_some() {
        details.push(cursor.text()?);
    }
    match Assumption::from_text(&kind, details) {
        Some(assumption) => Ok(assumption),
        None => cursor.error("a kind of assumption, with what belongs to it"),
    }
}

fn block_label(line: &Line) -> Option<Label> {
    match line.tokens.as_slice() {
        [token, Token::Punct(':')] => label_of(token),
        _ => None,
    }
}

/// A block's label, as it is defined and as it is used.
pub(super) fn label_of(token: &Token) -> Option<Label> {
    match token {
        Token::Word(word) => {
            let name = word.split('~').next().map(str::to_string);
            Some(Label { key: word.clone(), name })
        }
        Token::Number(number) => Some(Label { key: number.clone(), name: None }),
        Token::Text(label) => Some(label.clone()),
        _ => None,
    }
}

fn symbol_name(cursor: &mut Cursor) -> Result<String, ParseError> {
    match cursor.peek() {
        Some(Token::Symbol(Label { name: Some(name), .. })) => {
            cursor.next();
            Ok(name.clone())
        }
        _ => cursor.error("a name with '@'"),
    }
}

fn in_order(cursor: &mut Cursor, prefix: char, next: usize) -> Result<(), ParseError> {
    let mut ahead = cursor.clone();
    if ahead.numbered(prefix)? as usize != next {
        return cursor.error(&format!("{prefix}{next}"));
    }
    *cursor = ahead;
    Ok(())
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    Some(digits.chunks_exact(2).map(|d| (d[0] * 16 + d[1]) as u8).collect())
}

fn debug_type(cursor: &mut Cursor) -> Result<DebugType, ParseError> {
    let word = cursor.word("a kind of type", |w| Some(w.to_string()))?;
    Ok(match word.as_str() {
        "unknown" => DebugType::Unknown,
        "bool" => DebugType::Bool,
        "function" => DebugType::Function,
        "int" => {
            let (name, bits) = (cursor.text()?, cursor.number()?);
            let signed = cursor.word("'signed' or 'unsigned'", |w| match w {
                "signed" => Some(true),
                "unsigned" => Some(false),
                _ => None,
            })?;
            DebugType::Int { name, bits, signed }
        }
        "float" => DebugType::Float { name: cursor.text()?, bits: cursor.number()? },
        "pointer" => DebugType::Pointer { to: cursor.type_id()? },
        "array" => {
            let of = cursor.type_id()?;
            DebugType::Array { of, count: if cursor.eat_word("count") { Some(cursor.number()?) } else { None } }
        }
        "struct" | "union" => {
            let (name, size) = (cursor.text()?, cursor.number()?);
            cursor.expect('{')?;
            let fields = cursor.list('}', |cursor| {
                let name = cursor.name()?;
                cursor.expect(':')?;
                let ty = cursor.type_id()?;
                cursor.expect_word("at")?;
                let bit_offset = cursor.number()?;
                let bits = if cursor.eat_word("bits") { Some(cursor.number()?) } else { None };
                Ok(Field { name, bit_offset, ty, bits })
            })?;
            DebugType::Struct { name, size, fields, is_union: word == "union" }
        }
        "enum" => {
            let (name, bits) = (cursor.text()?, cursor.number()?);
            cursor.expect('{')?;
            let values = cursor.list('}', |cursor| {
                let name = cursor.name()?;
                cursor.expect('=')?;
                Ok((name, cursor.number()?))
            })?;
            DebugType::Enum { name, bits, values }
        }
        "named" => DebugType::Named { name: cursor.text()?, of: cursor.type_id()? },
        _ => {
            return cursor
                .error("unknown, bool, function, int, float, pointer, array, struct, union, enum or named before");
        }
    })
}
