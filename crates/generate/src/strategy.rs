//! Drawing programs. Simple alternatives come first: proptest shrinks towards them.

use crate::ast::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// The features that may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Pointers, the heap, published stack objects, helpers and wide inputs.
    pub pointers: bool,
    /// Loops that wait for another thread.
    pub spins: bool,
    /// Atomic stores and fences, for memory models that know them from plain stores.
    pub orders: bool,
    /// [`Source::size`] is at most this.
    pub size: u64,
}

impl Features {
    pub const ALL: Features = Features { pointers: true, spins: true, orders: false, size: 15_000 };
    /// Programs that a simple interpreter can run.
    pub const SCALAR: Features = Features { pointers: false, spins: true, orders: false, size: 1000 };
}

/// The context of statements.
#[derive(Clone, Copy)]
struct Scope {
    features: Features,
    /// Levels of nesting left.
    depth: u32,
    /// Whether helpers may be called.
    calls: bool,
}

/// Programs with these features.
pub fn sources(features: Features) -> impl Strategy<Value = Source> {
    let scope = Scope { features, depth: 2, calls: features.pointers };
    let short = Scope { depth: 1, ..scope };
    let helper = Scope { depth: 1, calls: false, ..scope };
    let helpers = if features.pointers { 1..3usize } else { 0..1 };
    let nested = (0..4u8, any::<bool>()).prop_map(|(position, joins)| Nested { position, joins });
    (
        list(short, 0..3),
        list(short, 0..3),
        prop_oneof![3 => Just(true), 1 => Just(false)],
        list(short, 0..3),
        prop_oneof![3 => Just(MainEnd::Process), 1 => Just(MainEnd::Thread)],
        prop_oneof![3 => vec(list(scope, 2..7), 2..4), 1 => vec(list(scope, 1..4), 1..3)],
        option::weighted(0.3, nested),
        [list(helper, helpers.clone()), list(helper, helpers)],
    )
        .prop_map(|(before, between, joins, after, end, threads, nested, helpers)| Source {
            before,
            between,
            joins,
            after,
            end,
            threads,
            nested,
            helpers,
        })
        .prop_filter("too many states", move |source| source.size() <= features.size)
}

fn list(scope: Scope, length: std::ops::Range<usize>) -> BoxedStrategy<Vec<Stmt>> {
    vec(phrase(scope), length).prop_map(|phrases| phrases.concat()).boxed()
}

/// A statement, or a few that make sense together.
fn phrase(scope: Scope) -> BoxedStrategy<Vec<Stmt>> {
    let increment = (register(), place(scope), atom()).prop_map(|(r, p, a)| {
        vec![Stmt::Load(r, p), Stmt::Let(r, Arithmetic::Add, Atom::Register(r), a), Stmt::Store(p, Atom::Register(r))]
    });
    let claim = (place(scope), claim()).prop_map(|(p, c)| vec![Stmt::Load(c.left, p), Stmt::Assert(c)]);
    let test = (place(scope), condition(), stmt(Scope { depth: 0, ..scope }))
        .prop_map(|(p, c, s)| vec![Stmt::Load(c.left, p), Stmt::If(c, vec![s], vec![])]);
    let one = stmt(scope).prop_map(|s| vec![s]);
    if !scope.features.pointers {
        return prop_oneof![8 => one, 2 => increment, 1 => claim, 1 => test].boxed();
    }
    prop_oneof![8 => one, 2 => increment, 1 => claim, 1 => test, 1 => copied(scope)].boxed()
}

/// A copy stays what it was, whatever others do meanwhile.
fn copied(scope: Scope) -> impl Strategy<Value = Vec<Stmt>> {
    let loads = vec((register(), place(scope)).prop_map(|(r, p)| Stmt::Load(r, p)), 0..3);
    (copy(), loads, claim()).prop_map(|(copy, loads, c)| {
        let claim = vec![Stmt::Load(c.left, Place::Own), Stmt::Assert(c)];
        [vec![copy], loads, claim].concat()
    })
}

fn register() -> impl Strategy<Value = Register> {
    0..REGISTERS
}

fn constant() -> impl Strategy<Value = i8> {
    prop_oneof![8 => 0..3i8, 1 => Just(-1i8), 1 => Just(127i8)]
}

fn atom() -> impl Strategy<Value = Atom> {
    prop_oneof![constant().prop_map(Atom::Constant), register().prop_map(Atom::Register)]
}

fn arithmetic() -> impl Strategy<Value = Arithmetic> {
    prop_oneof![
        5 => Just(Arithmetic::Add),
        2 => Just(Arithmetic::Sub),
        1 => Just(Arithmetic::Xor),
        1 => Just(Arithmetic::And),
        1 => Just(Arithmetic::Mul),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    prop_oneof![
        Just(Comparison::Eq),
        Just(Comparison::Ne),
        Just(Comparison::Slt),
        Just(Comparison::Sge),
        Just(Comparison::Ult)
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    let right = prop_oneof![4 => constant().prop_map(Atom::Constant), 1 => register().prop_map(Atom::Register)];
    (register(), comparison(), right).prop_map(|(left, comparison, right)| Condition { left, comparison, right })
}

/// The condition of an assertion, which is rarely false.
fn claim() -> impl Strategy<Value = Condition> {
    let rarely_wrong = (register(), Just(Comparison::Ne), 2..5i8).prop_map(|(left, comparison, c)| Condition {
        left,
        comparison,
        right: Atom::Constant(c),
    });
    prop_oneof![7 => rarely_wrong, 1 => condition()]
}

fn modification() -> impl Strategy<Value = Modification> {
    prop_oneof![
        Just(Modification::Add),
        Just(Modification::Exchange),
        Just(Modification::Sub),
        Just(Modification::Or),
        Just(Modification::Max)
    ]
}

fn index() -> impl Strategy<Value = Index> {
    prop_oneof![
        4 => (0..ELEMENTS).prop_map(Index::Constant),
        4 => register().prop_map(Index::Masked),
        1 => register().prop_map(Index::Raw),
    ]
}

fn place(scope: Scope) -> BoxedStrategy<Place> {
    let scalar = prop_oneof![
        5 => Just(Place::X),
        3 => Just(Place::Y),
        2 => Just(Place::C),
        2 => index().prop_map(Place::Element),
        2 => Just(Place::Own),
    ];
    if !scope.features.pointers {
        return scalar.boxed();
    }
    prop_oneof![
        6 => scalar,
        2 => (0..2u8).prop_map(Place::Heap),
        2 => Just(Place::Through),
        1 => Just(Place::Boxed),
    ]
    .boxed()
}

/// Mostly within both blocks.
fn copy() -> impl Strategy<Value = Stmt> {
    let shared = prop_oneof![3 => Just(Block::X), 3 => (0..2u8).prop_map(Block::Array), 1 => Just(Block::Heap)];
    let any = prop_oneof![3 => Just(Block::Own), 2 => shared.clone()];
    let ways = prop_oneof![2 => (Just(Block::Own), shared), 3 => (any.clone(), any)];
    let length = prop_oneof![(1..5u8).prop_map(Length::Constant), register().prop_map(Length::Masked)];
    (ways, length, prop_oneof![4 => Just(true), 1 => Just(false)]).prop_map(|((to, from), length, moves)| Stmt::Copy {
        to,
        from,
        length,
        moves,
    })
}

fn range(scope: Scope) -> BoxedStrategy<Range> {
    let small = (0..3u8, 2..4u8).prop_map(|(low, count)| Range::Small { low, count });
    if !scope.features.pointers {
        return small.boxed();
    }
    prop_oneof![2 => small, 1 => Just(Range::Wide)].boxed()
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![2 => Just(Order::Release), 1 => Just(Order::SeqCst)]
}

/// `place ? constant`, mostly one that becomes true.
fn wait() -> impl Strategy<Value = (Place, Comparison, i8)> {
    let place = prop_oneof![3 => Just(Place::X), 2 => Just(Place::Y), 1 => Just(Place::C)];
    let comparison = prop_oneof![2 => Just(Comparison::Ne), 1 => Just(Comparison::Sge), 1 => Just(Comparison::Eq)];
    (place, comparison, 0..2i8)
}

fn stmt(scope: Scope) -> BoxedStrategy<Stmt> {
    let mut ways: Vec<(u32, BoxedStrategy<Stmt>)> = vec![
        (6, (place(scope), atom()).prop_map(|(p, a)| Stmt::Store(p, a)).boxed()),
        (6, (register(), place(scope)).prop_map(|(r, p)| Stmt::Load(r, p)).boxed()),
        (3, (register(), arithmetic(), atom(), atom()).prop_map(|(r, o, a, b)| Stmt::Let(r, o, a, b)).boxed()),
        (2, claim().prop_map(Stmt::Assert).boxed()),
        (2, (register(), modification(), place(scope), atom()).prop_map(|(r, m, p, a)| Stmt::Rmw(r, m, p, a)).boxed()),
        (2, (register(), place(scope), atom(), atom()).prop_map(|(r, p, a, b)| Stmt::CmpXchg(r, p, a, b)).boxed()),
        (1, wait().prop_map(|(p, c, n)| Stmt::Wait(p, c, n)).boxed()),
        (2, (register(), range(scope)).prop_map(|(r, n)| Stmt::Input(r, n)).boxed()),
        (1, claim().prop_map(Stmt::Assume).boxed()),
        (1, Just(Stmt::Yield).boxed()),
    ];
    if scope.depth < 2 {
        ways.push((1, Just(Stmt::Exit).boxed()));
    }
    if scope.features.pointers {
        ways.extend([
            (2, any::<bool>().prop_map(Stmt::Point).boxed()),
            (2, atom().prop_map(Stmt::Allocate).boxed()),
            (1, Just(Stmt::Free).boxed()),
            (2, Just(Stmt::Publish).boxed()),
            (3, copy().boxed()),
        ]);
    }
    if scope.calls {
        let call = (option::of(0..2u8), atom(), register());
        ways.extend([
            (3, call.prop_map(|(helper, argument, result)| Stmt::Call { helper, argument, result }).boxed()),
            (1, (0..2u8).prop_map(Stmt::SetFunction).boxed()),
        ]);
    }
    if scope.features.orders {
        ways.extend([
            (3, (place(scope), atom(), order()).prop_map(|(p, a, o)| Stmt::AtomicStore(p, a, o)).boxed()),
            (2, order().prop_map(Stmt::Fence).boxed()),
        ]);
    }
    if scope.features.spins {
        let spin = (wait(), any::<bool>()).prop_map(|((place, comparison, constant), yields)| Stmt::Spin {
            place,
            comparison,
            constant,
            yields,
        });
        ways.push((1, spin.boxed()));
    }
    if scope.depth > 0 {
        let inner = Scope { depth: scope.depth - 1, ..scope };
        ways.extend([
            (3, (condition(), list(inner, 1..3), list(inner, 0..2)).prop_map(|(c, a, b)| Stmt::If(c, a, b)).boxed()),
            (2, (1..4u8, list(inner, 1..3)).prop_map(|(n, a)| Stmt::Loop(n, a)).boxed()),
            (3, (0..2u8, list(inner, 1..4)).prop_map(|(l, a)| Stmt::Locked(l, a)).boxed()),
            (2, list(inner, 1..4).prop_map(Stmt::Atomic).boxed()),
        ]);
    }
    proptest::strategy::Union::new_weighted(ways).boxed()
}
