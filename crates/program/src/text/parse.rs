//! Reading: first the names of everything, so that uses may stand before definitions, then line by line.

use super::lex::{Cursor, Label, Line, Token, lines};
use super::print::labels;
use super::scope::Scope;
use crate::assumption::Assumption;
use crate::ir::*;
use crate::memory_model::MemoryModel;
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
    let mut builder = Builder { reader: Reader::new(symbols(&lines)?), program: head_line(head)? };
    let mut cursor = Cursor::new(head);
    while cursor.peek().is_some() && !cursor.eat_word("entry") {
        cursor.advance();
    }
    builder.program.entry = builder.reader.func(&mut cursor)?;
    cursor.end()?;

    let mut rest = rest.iter();
    while let Some(line) = rest.next() {
        if is_word(line, 0, "fn") {
            builder.function(line, &body(line, &mut rest)?)?;
        } else {
            builder.declaration(line)?;
        }
    }
    Ok(Program { places: builder.reader.places, ..builder.program })
}

/// The lines between a head and the `}` that closes it.
pub fn body<'l>(head: &Line, rest: &mut impl Iterator<Item = &'l Line>) -> Result<Vec<&'l Line>, ParseError> {
    let mut closed = false;
    let lines = rest.take_while(|line| {
        closed = line.tokens == [Token::Punct('}')];
        !closed
    });
    let lines = lines.collect();
    if closed { Ok(lines) } else { Cursor::new(head).error("a '}' that closes this body") }
}

pub fn is_word(line: &Line, index: usize, word: &str) -> bool {
    matches!(line.tokens.get(index), Some(Token::Word(w)) if w == word)
}

fn head_line(line: &Line) -> Result<Program, ParseError> {
    let mut cursor = Cursor::new(line);
    cursor.expect_word("program")?;
    let data_model = cursor.word("'ilp32' or 'lp64'", DataModel::from_name)?;
    let memory_model = match is_word(line, 2, "entry") {
        true => MemoryModel::default(),
        false => cursor.word("'entry', or a memory model before it", MemoryModel::from_name)?,
    };
    cursor.expect_word("entry")?;
    Ok(Program {
        data_model,
        memory_model,
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

/// Reads operations: knows what has a name.
pub struct Reader {
    symbols: HashMap<String, Operand>,
    places: PrimaryMap<PlaceId, String>,
    place_ids: HashMap<String, PlaceId>,
    /// A text that is no place yet becomes one.
    new_places: bool,
}

impl Reader {
    fn new(symbols: HashMap<String, Operand>) -> Reader {
        Reader { symbols, places: PrimaryMap::new(), place_ids: HashMap::new(), new_places: true }
    }

    /// Knows the functions, globals and places of a program, under the labels that they are printed with.
    pub fn of(program: &Program) -> Reader {
        let names = program.functions.values().map(|f| &f.name).chain(program.globals.values().map(|g| &g.name));
        let functions = program.functions.keys().map(Operand::Func);
        let globals = program.globals.keys().map(|id| Operand::Global { id, offset: 0 });
        let labels = labels(names.map(|name| Some(name.as_str())));
        let mut reader = Reader::new(labels.into_iter().zip(functions.chain(globals)).collect());
        for text in program.places.values() {
            reader.new_place(text.clone());
        }
        reader.new_places = false;
        reader
    }

    /// The global number `id` is called by this label.
    pub fn declare(&mut self, cursor: &Cursor, label: &Label, id: GlobalId) -> Result<(), ParseError> {
        match self.symbols.insert(label.key.clone(), Operand::Global { id, offset: 0 }) {
            None => Ok(()),
            Some(_) => cursor.error("a new name"),
        }
    }

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
        cursor.advance();
        Ok(symbol)
    }

    pub fn func(&self, cursor: &mut Cursor) -> Result<FuncId, ParseError> {
        let mut ahead = cursor.clone();
        let Operand::Func(id) = self.symbol(&mut ahead)? else { return cursor.error("a function") };
        *cursor = ahead;
        Ok(id)
    }

    /// A global, without offset.
    pub fn global(&self, cursor: &mut Cursor) -> Result<GlobalId, ParseError> {
        let mut ahead = cursor.clone();
        let Operand::Global { id, .. } = self.symbol(&mut ahead)? else { return cursor.error("a global") };
        *cursor = ahead;
        Ok(id)
    }

    /// An optional place: its text, or its number.
    pub fn place(&mut self, cursor: &mut Cursor) -> Result<Option<PlaceId>, ParseError> {
        match cursor.peek() {
            Some(Token::Text(_)) => {
                let text = cursor.clone().text()?;
                let place = match self.place_ids.get(&text) {
                    Some(place) => *place,
                    None if self.new_places => self.new_place(text),
                    None => return cursor.error("a place of this program"),
                };
                cursor.advance();
                Ok(Some(place))
            }
            Some(Token::Word(word)) if word.starts_with('p') => {
                cursor.numbered('p').map(|n| Some(PlaceId::from_u32(n)))
            }
            _ => Ok(None),
        }
    }

    fn new_place(&mut self, text: String) -> PlaceId {
        let id = self.places.push(text.clone());
        *self.place_ids.entry(text).or_insert(id)
    }
}

/// Builds a program from its lines.
struct Builder {
    reader: Reader,
    program: Program,
}

impl Builder {
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
            in_order(&mut cursor, 'p', self.reader.places.len())?;
            let text = cursor.text()?;
            self.reader.new_place(text);
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
        Ok(Observer { name: cursor.text()?, function: self.reader.func(cursor)? })
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
                Ok(Relocation { at, bytes, target: self.reader.constant_operand(cursor)? })
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
        let params = scope.params(&mut cursor)?;
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

        let mut blocks = PrimaryMap::new();
        for block in scope.blocks(body)? {
            let mut insts = Vec::new();
            for line in block.lines {
                let mut cursor = Cursor::new(line);
                let op = self.reader.op_with_results(&scope, &mut cursor)?;
                insts.push(Inst { op, loc: loc_at_end(&mut cursor, scope.file)? });
            }
            let mut cursor = Cursor::new(block.last);
            let term = self.reader.terminator(&scope, &mut cursor)?;
            let loc = loc_at_end(&mut cursor, scope.file)?;
            blocks.push(Block { name: block.label.name.unwrap_or_default(), insts, term, loc });
        }
        let params = scope.declared(head, &params)?;
        self.program.functions.push(Function { name, origin, params, returns, regs: scope.infos, blocks, loc });
        Ok(())
    }
}

/// The position of a statement, which ends its line.
fn loc_at_end(cursor: &mut Cursor, file: Option<FileId>) -> Result<Loc, ParseError> {
    let loc = loc(cursor, file)?;
    cursor.end()?;
    Ok(loc)
}

/// `at f1:3:2`; the file may be left out if one is expected.
pub fn loc(cursor: &mut Cursor, file: Option<FileId>) -> Result<Loc, ParseError> {
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

pub fn symbol_name(cursor: &mut Cursor) -> Result<String, ParseError> {
    match cursor.peek() {
        Some(Token::Symbol(Label { name: Some(name), .. })) => {
            cursor.advance();
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
