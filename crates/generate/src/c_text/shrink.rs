//! Delta debugging on programs (Zeller and Hildebrandt: Simplifying and isolating failure-inducing input, TSE
//! 2002): parts are removed as long as the program still fails.
//!
//! A candidate need not compile: then it does not fail in the intended way, and the next one is tried.

use super::ast::*;

/// A smaller program that still `fails`, while no program that is one step smaller does.
pub fn shrink(source: &Source, fails: &mut dyn FnMut(&Source) -> bool) -> Source {
    let mut smallest = source.clone();
    while let Some(smaller) = candidates(&smallest).into_iter().find(|candidate| fails(candidate)) {
        smallest = smaller;
    }
    smallest
}

/// Programs that are one step smaller, large steps first. Candidates of a defined program are defined.
fn candidates(source: &Source) -> Vec<Source> {
    let mut all = Vec::new();
    without_threads(source, &mut all);
    each_statement(source, &mut all, &|statement| {
        if source.is_defined && matches!(statement, Stmt::Create(..) | Stmt::Join(_)) {
            return vec![];
        }
        let inner: Vec<Stmt> = statement.blocks().into_iter().flatten().cloned().collect();
        if inner.is_empty() { vec![vec![]] } else { vec![vec![], inner] }
    });
    simpler_declarations(source, &mut all);
    each_statement(source, &mut all, &|statement| simpler(statement).into_iter().map(|s| vec![s]).collect());
    all
}

fn without_threads(source: &Source, all: &mut Vec<Source>) {
    let Some(last) = source.threads.len().checked_sub(1) else { return };
    let mut less = source.clone();
    less.threads.pop();
    let names = |s: &Stmt| matches!(s, Stmt::Create(n, _) | Stmt::Join(n) | Stmt::Detach(n) if usize::from(*n) == last);
    drop_where(&mut less.main.statements, &names);
    all.push(less);
}

fn drop_where(list: &mut Vec<Stmt>, condition: &dyn Fn(&Stmt) -> bool) {
    list.retain(|statement| !condition(statement));
    for statement in list {
        statement.blocks_mut().into_iter().for_each(|block| drop_where(block, condition));
    }
}

/// Adds the program with each replacement of each statement.
fn each_statement(source: &Source, all: &mut Vec<Source>, replacements: &dyn Fn(&Stmt) -> Vec<Vec<Stmt>>) {
    for number in 0.. {
        let mut found = Vec::new();
        let mut probe = source.clone();
        at_statement(&mut probe, number, &mut |list, index| found = replacements(&list[index]));
        if probe.total_statements() <= number {
            return;
        }
        for replacement in found {
            let mut less = source.clone();
            at_statement(&mut less, number, &mut |list, index| {
                list.splice(index..=index, replacement.clone());
            });
            all.push(less);
        }
    }
}

/// Calls `act` on the statement with this number, counted from the outside in.
fn at_statement(source: &mut Source, number: usize, act: &mut dyn FnMut(&mut Vec<Stmt>, usize)) {
    let mut left = Some(number);
    for body in source.bodies_mut() {
        visit(&mut body.statements, &mut left, act);
    }
}

fn visit(list: &mut Vec<Stmt>, left: &mut Option<usize>, act: &mut dyn FnMut(&mut Vec<Stmt>, usize)) {
    for index in 0..list.len() {
        match *left {
            None => return,
            Some(0) => {
                *left = None;
                return act(list, index);
            }
            Some(more) => *left = Some(more - 1),
        }
        for block in list[index].blocks_mut() {
            visit(block, left, act);
        }
    }
}

fn simpler_declarations(source: &Source, all: &mut Vec<Source>) {
    let mut push = |change: &dyn Fn(&mut Source)| {
        let mut less = source.clone();
        change(&mut less);
        if less != *source {
            all.push(less);
        }
    };
    push(&|s| s.globals.truncate(s.globals.len().saturating_sub(1)));
    push(&|s| s.functions.truncate(s.functions.len().saturating_sub(1)));
    push(&|s| s.records.truncate(s.records.len().saturating_sub(1)));
    push(&|s| s.word = Word::Bits64);
    for (number, record) in source.records.iter().enumerate() {
        for field in 0..record.fields.len() {
            push(&|s| {
                s.records[number].fields.remove(field);
            });
            push(&|s| s.records[number].fields[field].bits = None);
            push(&|s| s.records[number].fields[field].ty = Type::Scalar(Scalar::Int));
        }
    }
    if source.is_defined {
        return;
    }
    for number in 0..source.globals.len() {
        push(&|s| s.globals[number].initial = Initial::None);
        push(&|s| s.globals[number] = Object { ty: Type::Scalar(Scalar::Int), initial: Initial::None });
    }
    let of_bodies: [fn(&mut Body); 3] = [
        |body| body.locals.truncate(body.locals.len().saturating_sub(1)),
        |body| body.zeroed = REGISTERS,
        |body| body.locals.iter_mut().for_each(|local| local.initial = Initial::None),
    ];
    for body in 0..1 + source.threads.len() + source.functions.len() {
        for change in of_bodies {
            push(&|s| s.bodies_mut().nth(body).into_iter().for_each(change));
        }
    }
}

/// Statements of equal kind with simpler parts.
fn simpler(statement: &Stmt) -> Vec<Stmt> {
    match statement {
        Stmt::Set(register, value) => exprs(value).into_iter().map(|v| Stmt::Set(*register, v)).collect(),
        Stmt::Assign(place, value) => {
            let by_value = exprs(value).into_iter().map(|v| Stmt::Assign(place.clone(), v));
            by_value.chain(places(place).into_iter().map(|p| Stmt::Assign(p, value.clone()))).collect()
        }
        Stmt::Copy(to, from) => places(to).into_iter().map(|to| Stmt::Copy(to, from.clone())).collect(),
        Stmt::Pass(to, from, _) => vec![Stmt::Copy(to.clone(), from.clone())],
        Stmt::Literal(to, record, field, value) => {
            exprs(value).into_iter().map(|v| Stmt::Literal(to.clone(), *record, *field, v)).collect()
        }
        Stmt::Transfer(kind, to, from, length) => {
            let by_to = pointers(to).into_iter().map(|to| Stmt::Transfer(*kind, to, from.clone(), length.clone()));
            let by_from =
                pointers(from).into_iter().map(|from| Stmt::Transfer(*kind, to.clone(), from, length.clone()));
            let by_length = lengths(length).into_iter().map(|l| Stmt::Transfer(*kind, to.clone(), from.clone(), l));
            by_to.chain(by_from).chain(by_length).collect()
        }
        Stmt::Fill(to, value, length) => {
            let by_to = pointers(to).into_iter().map(|to| Stmt::Fill(to, value.clone(), length.clone()));
            let by_value = exprs(value).into_iter().map(|v| Stmt::Fill(to.clone(), v, length.clone()));
            let by_length = lengths(length).into_iter().map(|l| Stmt::Fill(to.clone(), value.clone(), l));
            by_to.chain(by_value).chain(by_length).collect()
        }
        Stmt::CompareBytes(register, a, b, length) => {
            let by_a = pointers(a).into_iter().map(|a| Stmt::CompareBytes(*register, a, b.clone(), length.clone()));
            let by_b = pointers(b).into_iter().map(|b| Stmt::CompareBytes(*register, a.clone(), b, length.clone()));
            let by_length = lengths(length).into_iter().map(|l| Stmt::CompareBytes(*register, a.clone(), b.clone(), l));
            by_a.chain(by_b).chain(by_length).collect()
        }
        Stmt::Point(place, pointer) => pointers(pointer).into_iter().map(|p| Stmt::Point(place.clone(), p)).collect(),
        Stmt::Free(pointer) => pointers(pointer).into_iter().map(Stmt::Free).collect(),
        Stmt::Take(pointer) => pointers(pointer).into_iter().map(Stmt::Take).collect(),
        Stmt::SetFunction(FunctionValue::Cast(pointer)) => {
            pointers(pointer).into_iter().map(|p| Stmt::SetFunction(FunctionValue::Cast(p))).collect()
        }
        Stmt::Call { callee, argument, result } => {
            let call = |argument| Stmt::Call { callee: *callee, argument, result: *result };
            exprs(argument).into_iter().map(call).collect()
        }
        Stmt::If(condition, yes, no) => {
            exprs(condition).into_iter().map(|c| Stmt::If(c, yes.clone(), no.clone())).collect()
        }
        Stmt::Create(number, argument) => match argument {
            Pointer::Null => Vec::new(),
            other => [Pointer::Null].into_iter().chain(pointers(other)).map(|p| Stmt::Create(*number, p)).collect(),
        },
        Stmt::Loop(times, body) if *times > 1 => vec![Stmt::Loop(times - 1, body.clone())],
        Stmt::Switch(value, yes, no, _) => vec![Stmt::If(value.clone(), no.clone(), yes.clone())],
        Stmt::Assume(condition) => exprs(condition).into_iter().map(Stmt::Assume).collect(),
        Stmt::Assert(condition) => exprs(condition).into_iter().map(Stmt::Assert).collect(),
        Stmt::Input { register, low, high } if high > low => {
            vec![Stmt::Input { register: *register, low: *low, high: high - 1 }]
        }
        _ => Vec::new(),
    }
}

fn exprs(expr: &Expr) -> Vec<Expr> {
    let boxed = |e: Expr| Box::new(e);
    let mut all = match expr {
        Expr::Constant(_) | Expr::SizeOf(_) => Vec::new(),
        Expr::Register(_) => vec![Expr::Constant(0)],
        Expr::Load(place) => places(place).into_iter().map(Expr::Load).collect(),
        Expr::Binary(operation, a, b) => {
            let mut all = vec![(**a).clone(), (**b).clone()];
            all.extend(exprs(a).into_iter().map(|a| Expr::Binary(*operation, boxed(a), b.clone())));
            all.extend(exprs(b).into_iter().map(|b| Expr::Binary(*operation, a.clone(), boxed(b))));
            all
        }
        Expr::Cast(_, value) => vec![(**value).clone()],
        Expr::Choose(condition, a, b) => vec![(**condition).clone(), (**a).clone(), (**b).clone()],
        Expr::StringLength(pointer) => pointers(pointer).into_iter().map(Expr::StringLength).collect(),
        Expr::SamePointer(a, b) | Expr::PointerLess(a, b) | Expr::Distance(a, b) => {
            let again = |a: Pointer, b: Pointer| match expr {
                Expr::PointerLess(..) => Expr::PointerLess(a, b),
                Expr::Distance(..) => Expr::Distance(a, b),
                _ => Expr::SamePointer(a, b),
            };
            let by_a = pointers(a).into_iter().map(|a| again(a, b.clone()));
            by_a.chain(pointers(b).into_iter().map(|b| again(a.clone(), b))).collect()
        }
    };
    if !matches!(expr, Expr::Constant(0 | 1)) {
        all.push(Expr::Constant(0));
        all.push(Expr::Constant(1));
    }
    all
}

fn pointers(pointer: &Pointer) -> Vec<Pointer> {
    match pointer {
        Pointer::Null | Pointer::MadeUp | Pointer::Argument => Vec::new(),
        Pointer::To(place) => places(place).into_iter().map(Pointer::To).collect(),
        Pointer::Value(place) => places(place).into_iter().map(Pointer::Value).collect(),
        Pointer::Offset(base, by) => {
            let mut all = vec![(**base).clone()];
            all.extend(exprs(by).into_iter().map(|by| Pointer::Offset(base.clone(), Box::new(by))));
            all.extend(pointers(base).into_iter().map(|base| Pointer::Offset(Box::new(base), by.clone())));
            all
        }
        Pointer::Integer(base, by) => {
            let mut all = vec![(**base).clone()];
            all.extend(pointers(base).into_iter().map(|base| Pointer::Integer(Box::new(base), *by)));
            all
        }
        Pointer::Malloc(size) => exprs(size).into_iter().map(|size| Pointer::Malloc(Box::new(size))).collect(),
        Pointer::Calloc(size) | Pointer::Alloca(size) => vec![Pointer::Malloc(size.clone())],
        Pointer::Realloc(base, size) => vec![(**base).clone(), Pointer::Malloc(size.clone())],
    }
}

fn lengths(length: &Length) -> Vec<Length> {
    let constant = |value| Length::Raw(Box::new(Expr::Constant(value)));
    match length {
        Length::SizeOf(_) => vec![constant(1), constant(4)],
        Length::Masked(value, _) => vec![constant(1), Length::Raw(value.clone())],
        Length::Raw(value) => exprs(value).into_iter().map(|value| Length::Raw(Box::new(value))).collect(),
    }
}

/// The lvalue with simpler indices.
fn places(place: &Lvalue) -> Vec<Lvalue> {
    let constant = |index: &Index| !matches!(index, Index::Constant(_));
    let mut all = Vec::new();
    if place.through.as_ref().is_some_and(constant) {
        all.push(Lvalue { through: Some(Index::Constant(0)), ..place.clone() });
    }
    for (number, step) in place.path.iter().enumerate() {
        if matches!(step, Step::Index(index) if constant(index)) {
            let mut simpler = place.clone();
            simpler.path[number] = Step::Index(Index::Constant(0));
            all.push(simpler);
        }
    }
    all
}
