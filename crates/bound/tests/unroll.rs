//! How long loops are unwound, and the order of blocks. What becomes of small programs is in `tests/ir/bound`.

use selvedge_bound::order::Order;
use selvedge_bound::{CutKind, Limits, bound};
use selvedge_program::text::parse;
use selvedge_program::{BlockId, EntityRef, Program};

fn main_program(body: &str) -> Program {
    let text =
        format!("program lp64 entry @main\nglobal @x 4 align 4\nfn @main() {{\n  i32 %i, %v\n  i1 %c\n{body}\n}}");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const COUNTED: &str = "entry:
  %i = copy 0i32
  jump head
head:
  %c = slt %i, 1000000000i32
  branch %c, body, done
body:
  store i32 %i to @x
  %i = add checked %i, 1i32
  jump head
done:
  return";

#[test]
fn counted_iterations_are_limited_when_they_are_too_many() {
    let program = main_program(COUNTED);
    let bounded = bound(&program, &Limits { unwind: 3, max_steps: 10_000, ..Limits::default() }).unwrap();
    assert_eq!(bounded.cuts.iter().map(|cut| cut.kind).collect::<Vec<_>>(), [CutKind::Loop(3)]);
    assert!((256..300).contains(&bounded.steps()), "{}", bounded.steps());
}

const IRREDUCIBLE: &str = "entry:
  %c = nondet call \"n\"
  branch %c, left, right
left:
  store i32 1i32 to @x
  %c = nondet call \"n\"
  branch %c, right, done
right:
  store i32 2i32 to @x
  jump left
done:
  return";

#[test]
fn a_loop_with_two_entries_has_one_head() {
    let program = main_program(IRREDUCIBLE);
    let order = Order::new(&program.functions[program.entry]);
    assert_eq!(order.line().iter().filter(|block| order.is_head(**block)).count(), 1);
}

#[test]
fn the_order_is_weakly_topological() {
    let unknown = COUNTED.replace("%c = slt %i, 1000000000i32", "%v = nondet call \"n\"\n  %c = slt %i, %v");
    for text in [COUNTED, &unknown, IRREDUCIBLE] {
        let program = main_program(text);
        let function = &program.functions[program.entry];
        let order = Order::new(function);
        assert_eq!(order.line()[0], BlockId::new(0));
        for block in order.line() {
            for target in function.blocks[*block].term.successors() {
                let forward = order.position(target) > order.position(*block);
                assert!(forward || order.chain(*block).contains(&target));
            }
        }
    }
}
