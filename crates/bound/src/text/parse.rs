//! Reading: the objects' names first, then line by line.

use crate::bounded::{Block, Bounded, Cut, CutKind, Object, ObjectKind, Origin, Step, StepOp, Terminator, Thread};
use crate::verify::{Problem, verify};
use selvedge_program::text::reading::{
    BlockLines, Cursor, Line, Reader, Scope, Token, block, body, is_word, lines, loc, object_type, symbol_name,
};
use selvedge_program::text::{self, ParseError};
use selvedge_program::{EntityRef, FuncId, GlobalId, PrimaryMap, Program, Properties, Property};

type Parsed<T> = Result<T, ParseError>;

/// The text is not a bounded program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    #[error(transparent)]
    Syntax(#[from] ParseError),
    /// It breaks rules, on these lines; one at least.
    #[error("{}", broken(.0))]
    IllFormed(Vec<(usize, Problem)>),
}

fn broken(problems: &[(usize, Problem)]) -> String {
    problems.first().map_or(String::new(), |(line, problem)| format!("line {line}: {problem}"))
}

/// The program that the text of a bounded program begins with.
pub fn program(text: &str) -> Result<Program, ParseError> {
    let is_program = |line: &&str| line.split(';').next().is_none_or(|line| line.trim() != "bounded");
    let lines: Vec<&str> = text.split('\n').take_while(is_program).collect();
    text::parse(&lines.join("\n"))
}

/// The bounded program, from the line `bounded` on, of a program that is well-formed.
pub fn parse<'p>(text: &str, program: &'p Program) -> Result<Bounded<'p>, Unreadable> {
    let lines = lines(text)?;
    let start = lines.iter().position(|line| line.tokens.len() == 1 && is_word(line, 0, "bounded"));
    let Some((head, rest)) = lines[start.unwrap_or(lines.len())..].split_first() else {
        let line = text.split('\n').count();
        return Err(ParseError { line, expected: "'bounded'".into(), found: "the end of the text".into() }.into());
    };
    let mut builder = Builder::new(program, rest)?;
    let mut rest = rest.iter();
    while let Some(line) = rest.next() {
        if is_word(line, 0, "thread") {
            builder.thread(line, &body(line, &mut rest)?)?;
        } else {
            builder.declaration(line)?;
        }
    }
    let problems = verify(&builder.bounded);
    if problems.is_empty() {
        return Ok(builder.bounded);
    }
    Err(Unreadable::IllFormed(problems.into_iter().map(|p| (builder.line(&p).unwrap_or(head.number), p)).collect()))
}

struct Builder<'p> {
    bounded: Bounded<'p>,
    reader: Reader,
    /// The labels of the blocks of each function.
    blocks: PrimaryMap<FuncId, Scope>,
    /// The line of each thread's head, and of the statements of its blocks.
    lines: Vec<(usize, Vec<Vec<usize>>)>,
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program, lines: &[Line]) -> Parsed<Builder<'p>> {
        let objects: PrimaryMap<GlobalId, Object> =
            program.globals.values().map(|global| Object::declared(global, ObjectKind::Global)).collect();
        let mut reader = Reader::of(program);
        let declared = lines.iter().filter(|line| is_word(line, 0, "object"));
        for (number, line) in declared.enumerate() {
            if let Some(Token::Symbol(label)) = line.tokens.get(1) {
                reader.declare(&Cursor::new(line), label, GlobalId::new(objects.len() + number))?;
            }
        }
        let blocks = program.functions.values().map(Scope::of_blocks).collect();
        let bounded = Bounded { program, threads: Vec::new(), objects, cuts: Vec::new() };
        Ok(Builder { bounded, reader, blocks, lines: Vec::new() })
    }

    /// The line of a problem; none if it is in no thread.
    fn line(&self, problem: &Problem) -> Option<usize> {
        let (head, blocks) = self.lines.get(problem.thread?)?;
        let block = problem.block.and_then(|block| blocks.get(block.index()));
        Some(block.and_then(|block| block.get(problem.step?)).copied().unwrap_or(*head))
    }

    fn declaration(&mut self, line: &Line) -> Parsed<()> {
        let mut cursor = Cursor::new(line);
        if cursor.eat_word("object") {
            let object = self.object(&mut cursor)?;
            self.bounded.objects.push(object);
        } else if cursor.eat_word("cut") {
            in_order(&mut cursor, self.bounded.cuts.len())?;
            let kind: fn(u32) -> CutKind = cursor.word("'loop', 'recursion' or 'threads'", |word| match word {
                "loop" => Some(CutKind::Loop as fn(u32) -> CutKind),
                "recursion" => Some(CutKind::Recursion),
                "threads" => Some(CutKind::Threads),
                _ => None,
            })?;
            let kind = kind(cursor.number()?);
            self.bounded.cuts.push(Cut { kind, loc: loc(&mut cursor, None)? });
        } else {
            return cursor.error("'object', 'cut' or 'thread'");
        }
        cursor.end()
    }

    fn object(&mut self, cursor: &mut Cursor) -> Parsed<Object> {
        let label = symbol_name(cursor)?;
        let size = cursor.number()?;
        let kind = if cursor.eat_word("copy") {
            cursor.expect_word("of")?;
            let of = self.reader.global(cursor)?;
            cursor.expect_word("in")?;
            cursor.expect_word("thread")?;
            ObjectKind::ThreadLocal { of, thread: cursor.number()? }
        } else {
            cursor.word("'stack', 'heap' or 'copy'", |word| match word {
                "stack" => Some(ObjectKind::Stack),
                "heap" => Some(ObjectKind::Heap),
                _ => None,
            })?
        };
        let name = if matches!(cursor.peek(), Some(Token::Text(_))) { cursor.text()? } else { label };
        let (ty, padding) = object_type(cursor)?;
        Ok(Object { kind, name, size, padding, ty, loc: loc(cursor, None)? })
    }

    fn thread(&mut self, head: &Line, body: &[&Line]) -> Parsed<()> {
        let mut cursor = Cursor::new(head);
        cursor.expect_word("thread")?;
        in_order(&mut cursor, self.bounded.threads.len())?;
        let start = self.reader.func(&mut cursor)?;
        let mut scope = Scope::default();
        let params = scope.params(&mut cursor)?;
        cursor.expect('{')?;
        cursor.end()?;
        let mut blocks = PrimaryMap::new();
        let mut numbers = Vec::new();
        for block in scope.blocks(body)? {
            blocks.push(self.block(start, &scope, &block)?);
            numbers.push(
                block.lines.iter().filter(|line| !is_proved(line)).chain([&block.last]).map(|l| l.number).collect(),
            );
        }
        let params = scope.declared(head, &params)?;
        self.lines.push((head.number, numbers));
        self.bounded.threads.push(Thread { start, params, regs: scope.infos, blocks });
        Ok(())
    }

    fn block(&mut self, start: FuncId, scope: &Scope, block: &BlockLines) -> Parsed<Block> {
        let (proved, steps) = match block.lines.split_last() {
            Some((last, steps)) if is_proved(last) => (proved(last)?, steps),
            _ => (Properties::NONE, block.lines.as_slice()),
        };
        let step = |line: &&Line| {
            let mut cursor = Cursor::new(line);
            Ok(Step { op: self.step(scope, &mut cursor)?, origin: self.origin(start, &mut cursor)? })
        };
        let steps = steps.iter().map(step).collect::<Parsed<_>>()?;
        let mut cursor = Cursor::new(block.last);
        let term = self.terminator(scope, &mut cursor)?;
        Ok(Block { steps, term, origin: self.origin(start, &mut cursor)?, proved })
    }

    fn step(&mut self, scope: &Scope, cursor: &mut Cursor) -> Parsed<StepOp> {
        let mut ahead = cursor.clone();
        let dsts = self.reader.results(scope, &mut ahead)?;
        let op = if ahead.eat_word("create") {
            let [dst] = dsts[..] else { return cursor.error("one register before '='") };
            let object = self.reader.global(&mut ahead)?;
            let mut size = None;
            if ahead.eat_word("of") {
                size = Some(self.reader.operand(scope, &mut ahead)?);
                ahead.expect_word("bytes")?;
            }
            StepOp::Create { dst, object, size }
        } else if ahead.eat_word("spawn") && ahead.eat_word("thread") {
            let (([], dst) | ([_], dst)) = (&dsts[..], dsts.first().copied()) else {
                return cursor.error("at most one register before '='");
            };
            let thread = ahead.number()?;
            StepOp::Spawn { dst, thread, args: self.reader.args(scope, &mut ahead)? }
        } else if dsts.is_empty() && ahead.eat_word("end") {
            StepOp::End { objects: self.objects(&mut ahead)? }
        } else if dsts.is_empty() && ahead.eat_word("finish") {
            StepOp::Finish { objects: self.objects(&mut ahead)? }
        } else {
            return self.reader.op_with_results(scope, cursor).map(StepOp::Plain);
        };
        *cursor = ahead;
        Ok(op)
    }

    fn objects(&self, cursor: &mut Cursor) -> Parsed<Vec<GlobalId>> {
        let mut objects = Vec::new();
        if matches!(cursor.peek(), Some(Token::Symbol(_))) {
            objects.push(self.reader.global(cursor)?);
            while cursor.eat(',') {
                objects.push(self.reader.global(cursor)?);
            }
        }
        Ok(objects)
    }

    fn terminator(&self, scope: &Scope, cursor: &mut Cursor) -> Parsed<Terminator> {
        if cursor.eat_word("cut") {
            return Ok(Terminator::Cut(cursor.number()?));
        }
        if cursor.eat_word("stop") {
            return Ok(Terminator::Stop);
        }
        let expected = "a terminator: jump, branch, switch, cut or stop";
        if !["jump", "branch", "switch"].iter().any(|word| cursor.clone().eat_word(word)) {
            return cursor.error(expected);
        }
        match Terminator::from_program(self.reader.terminator(scope, cursor)?) {
            Some(term) => Ok(term),
            None => cursor.error(expected),
        }
    }

    /// `from @f entry:3 at f0:4:1`, at the end of the line.
    fn origin(&self, start: FuncId, cursor: &mut Cursor) -> Parsed<Origin> {
        let (mut function, mut from, mut index) = (start, selvedge_program::BlockId::new(0), 0);
        if cursor.eat_word("from") {
            function = self.reader.func(cursor)?;
            let Some(blocks) = self.blocks.get(function) else { return cursor.error("another function before") };
            from = block(blocks, cursor)?;
            cursor.expect(':')?;
            index = cursor.number()?;
        }
        let user = loc(cursor, None)?;
        cursor.end()?;
        Ok(Origin { function, block: from, index, user })
    }
}

fn in_order(cursor: &mut Cursor, next: usize) -> Parsed<()> {
    let found: usize = cursor.clone().number()?;
    if found != next {
        return cursor.error(&format!("{next}"));
    }
    cursor.advance();
    Ok(())
}

fn is_proved(line: &Line) -> bool {
    is_word(line, 0, "proved")
}

fn proved(line: &Line) -> Parsed<Properties> {
    let mut cursor = Cursor::new(line);
    cursor.expect_word("proved")?;
    let mut all = Properties::NONE;
    loop {
        all = all.with(cursor.word("a property", Property::from_name)?);
        if !cursor.eat(',') {
            cursor.end()?;
            return Ok(all);
        }
    }
}
