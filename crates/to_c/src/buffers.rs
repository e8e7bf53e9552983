//! Store buffers in sequential C: TSO and PSO as guesses about when stores arrive.
//!
//! Tomasco, Nguyen, Inverso, Fischer, La Torre, Parlato (Lazy sequentialization for TSO and PSO via shared memory
//! abstractions, FMCAD 2016) replace each access by a call of an abstract memory, which keeps for each location the
//! stores with their times of arrival. In a bounded program every store runs at most once, so nothing abstract is
//! needed: a store that may wait ([`selvedge_analyze::buffers`]) has a *slot*, a few variables of its own. Slot k of
//! thread t is `stored_t_k` with the value, `target_t_k` with the address where that is not a name, and `pending_t_k`.
//!
//! | where | what |
//! |---|---|
//! | the store | is made in the slot; it arrives at once if that is guessed and nothing waits that must arrive first |
//! | the beginning of each turn of the thread | `flush_t`: slot by slot in the order of the code, what may arrive does if that is guessed |
//! | a load of the thread | the newest slot that is pending and has its bytes, else memory |
//! | a step that drains | nothing is pending, or it is no run |
//! | the end of an object | stores to it are pending no more |
//! | the question for deadlocks | nobody can go on only if nothing is pending; then everything arrives, so that a thread can be asked whether it waits |
//!
//! *All runs are covered as rounds grow.* A store arrives when the thread makes it, or between two of its steps, when
//! another thread has run since (else it could as well have arrived when it was made). Then the thread has a turn of
//! its own at that time, in which it may do nothing else. Within one turn nobody looks, so all arrivals of a turn may
//! come first: the thread itself reads its own stores from the slots. A drain makes everything arrive in its own step;
//! since a drain with stores that may wait is a point, they arrive at the beginning of the turn that begins there. *All
//! runs are real*, as nothing arrives before what must arrive first ([`MemoryModel::keeps_order`]).
//!
//! | module | |
//! |---|---|
//! | `overlap` | whether two accesses touch the same bytes, as far as that is known |
//! | `loads` | own stores, seen by loads |
//! | `blocks` | blocks of memory, which are one store each |

mod blocks;
mod loads;
mod overlap;

use crate::code::{Code, What};
use crate::context::Context;
use crate::expression::Expr;
use crate::memory::is_surely_there;
use crate::printer::Printer;
use crate::types::CType;
pub use blocks::{Source, Start};
use overlap::{Bytes, Overlap};
use selvedge_analyze::Facts;
use selvedge_analyze::buffers::store_rule;
use selvedge_bound::BlockId;
use selvedge_program::{GlobalId, StoreRule};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A store that may wait: its thread, and its number in `Interference::buffered`.
pub type Site = (usize, usize);

/// A step: its block, and its number there.
type At = (BlockId, usize);

/// Facts about all buffers while a file is printed.
#[derive(Default)]
pub struct Buffers {
    /// The stores of which something is left in the file.
    sites: BTreeSet<Site>,
    /// Those that were printed.
    slots: BTreeMap<Site, Slot>,
    /// By thread: its separating fences.
    fences: Vec<Vec<At>>,
    /// The variables of loads that are put together from bytes.
    loaded: Vec<String>,
}

struct Slot {
    target: Target,
    content: Content,
    declaration: String,
}

/// The target of a store.
enum Target {
    Name(String),
    /// To the address in `target_t_k`.
    Address,
}

enum Content {
    Value(CType),
    /// This many bytes.
    Block(u64),
}

/// A store that is about to arrive.
struct Arriving {
    at: At,
    release: bool,
    address: String,
    /// The variable that tells how many separating fences came before it.
    epoch: String,
}

impl Buffers {
    pub fn new(facts: &Facts<'_>, codes: &[Code]) -> Buffers {
        let (mut sites, mut fences) = (BTreeSet::new(), Vec::new());
        for code in codes.iter().filter(|code| !code.is_probe) {
            let left: BTreeSet<At> = code.steps().map(|(item, _)| item.at).collect();
            let all = facts.interference.buffered(code.thread).iter().enumerate();
            let of_code = all.filter(|(_, store)| left.contains(&(store.block, store.step)));
            sites.extend(of_code.map(|(number, _)| (code.thread, number)));
            let separating = code.items().filter(|item| matches!(item.what, Some(What::Separate)));
            fences.push(separating.map(|item| item.at).collect());
        }
        Buffers { sites, fences, ..Buffers::default() }
    }

    /// May a store wait that goes to the object?
    pub fn waits_for(&self, facts: &Facts<'_>, object: GlobalId) -> bool {
        self.sites.iter().any(|(thread, number)| {
            let store = &facts.interference.buffered(*thread)[*number];
            Bytes::written(facts, *thread, (store.block, store.step)).touches(object)
        })
    }

    fn of(&self, thread: usize) -> impl Iterator<Item = Site> {
        self.sites.range((thread, 0)..(thread + 1, 0)).copied()
    }

    fn has_slots(&self, thread: usize) -> bool {
        self.of(thread).next().is_some()
    }

    /// All variables.
    pub fn declarations(&self) -> String {
        let slots: String = self.slots.values().map(|slot| slot.declaration.as_str()).collect();
        let is_fenced = |thread: &usize| !self.fences[*thread].is_empty();
        let fences =
            (0..self.fences.len()).filter(is_fenced).map(|thread| format!("static unsigned fences_{thread};\n"));
        format!("{slots}{}{}", fences.collect::<String>(), self.loaded.concat())
    }

    /// The beginning of a thread's turn.
    pub fn turn(&self, thread: usize) -> String {
        if self.has_slots(thread) { format!("flush_{thread}(0);\n") } else { String::new() }
    }

    /// Everything arrives.
    pub fn everything(&self) -> String {
        let threads = (0..self.fences.len()).filter(|thread| self.has_slots(*thread));
        threads.map(|thread| format!("    flush_{thread}(1);\n")).collect()
    }

    /// Conditions: nothing is pending.
    pub fn at_rest(&self) -> Vec<String> {
        self.sites.iter().map(|site| format!("!{}", pending(*site))).collect()
    }

    /// The address that a store goes to.
    fn address(&self, site: Site) -> String {
        match self.slots.get(&site) {
            Some(Slot { target: Target::Name(place), .. }) => format!("&{place}"),
            Some(Slot { target: Target::Address, .. }) | None => target(site),
        }
    }

    fn arrives(&self, site: Site) -> String {
        let Some(slot) = self.slots.get(&site) else { return String::new() };
        match (&slot.target, &slot.content) {
            (Target::Name(place), Content::Value(_)) => format!("{place} = {};", stored(site)),
            (Target::Address, Content::Value(_)) => format!("*{} = {};", target(site), stored(site)),
            (_, Content::Block(bytes)) => format!("memmove({}, {}, {bytes});", self.address(site), stored(site)),
        }
    }
}

fn pending((thread, number): Site) -> String {
    format!("pending_{thread}_{number}")
}

fn stored((thread, number): Site) -> String {
    format!("stored_{thread}_{number}")
}

fn target((thread, number): Site) -> String {
    format!("target_{thread}_{number}")
}

fn epoch((thread, number): Site) -> String {
    format!("epoch_{thread}_{number}")
}

impl Context<'_> {
    fn at(&self, (thread, number): Site) -> At {
        let store = &self.facts.interference.buffered(thread)[number];
        (store.block, store.step)
    }

    /// The store of a step, if it may wait.
    pub fn site(&self, thread: usize, at: At) -> Option<Site> {
        let stores = self.facts.interference.buffered(thread);
        let number = stores.binary_search_by_key(&at, |store| (store.block, store.step)).ok()?;
        Some((thread, number)).filter(|site| self.buffers.sites.contains(site))
    }

    fn arriving(&self, site: Site) -> Arriving {
        let release = self.facts.interference.buffered(site.0)[site.1].release;
        Arriving { at: self.at(site), release, address: self.buffers.address(site), epoch: epoch(site) }
    }

    /// The stores of a thread that may be pending right before a step.
    fn waiting(&self, thread: usize, at: At) -> Vec<Site> {
        let all = self.facts.interference.waiting(thread, at.0, at.1).iter().map(|number| (thread, *number));
        all.filter(|site| self.buffers.sites.contains(site)).collect()
    }

    fn written(&self, site: Site) -> Bytes {
        Bytes::written(self.facts, site.0, self.at(site))
    }

    /// A condition: something is pending that must arrive before the store. `None`: surely nothing is.
    fn is_held_up(&self, thread: usize, later: &Arriving) -> Option<String> {
        let waiting = self.waiting(thread, later.at).into_iter();
        let conditions: Vec<String> = waiting.filter_map(|earlier| self.goes_first(earlier, later)).collect();
        (!conditions.is_empty()).then(|| conditions.join(" || "))
    }

    /// As above, for a single store that may be pending.
    fn goes_first(&self, earlier: Site, later: &Arriving) -> Option<String> {
        let keeps =
            |overlap: bool, separated: bool| self.program().memory_model.keeps_order(overlap, separated, later.release);
        let (first, second) = (self.written(earlier), Bytes::written(self.facts, earlier.0, later.at));
        let overlap = first.overlap(&second);
        if keeps(overlap == Overlap::Always, false) {
            return Some(pending(earlier));
        }
        let mut reasons = Vec::new();
        if overlap != Overlap::Never && keeps(true, false) {
            let address = self.buffers.address(earlier);
            reasons.push(format!("OVERLAPS({address}, {first}, {}, {second})", later.address));
        }
        let between = |fence: &At| self.at(earlier) < *fence && *fence < later.at;
        if self.buffers.fences[earlier.0].iter().any(between) && keeps(false, true) {
            reasons.push(format!("{} != {}", epoch(earlier), later.epoch));
        }
        (!reasons.is_empty()).then(|| format!("({} && ({}))", pending(earlier), reasons.join(" || ")))
    }

    /// The function in which stores of a thread arrive that may, or all of them.
    pub fn flush(&self, thread: usize) -> String {
        if !self.buffers.has_slots(thread) {
            return String::new();
        }
        let mut text = format!("static void flush_{thread}(_Bool all)\n{{\n");
        for site in self.buffers.of(thread) {
            let held_up = self.is_held_up(thread, &self.arriving(site));
            let may = held_up.map_or(String::new(), |condition| format!(" && !({condition})"));
            let (pending, arrives) = (pending(site), self.buffers.arrives(site));
            let _ = writeln!(text, "    if ({pending}{may} && (all || CHOOSE())) {{ {pending} = 0; {arrives} }}");
        }
        text.push_str("}\n");
        text
    }

    /// An object ends, which begins at this address: what waits for it is dropped. `condition`: if it does.
    fn dropped(&self, object: GlobalId, name: &str, condition: &str) -> Vec<String> {
        let size = match self.sized.contains(&object) {
            true => format!("size_of_{name}"),
            false => self.facts.bounded.objects[object].size.to_string(),
        };
        let of_object = |site: &&Site| self.written(**site).touches(object);
        let drop = |site: &Site| {
            let (pending, address) = (pending(*site), target(*site));
            format!("if ({condition}{pending} && WITHIN({address}, {name}, {size})) {pending} = 0;")
        };
        self.buffers.sites.iter().filter(of_object).map(drop).collect()
    }
}

impl Printer<'_, '_> {
    /// The store that is being printed, if it may wait. A probe is run when everything has arrived.
    fn site(&self) -> Option<Site> {
        if self.is_probe { None } else { self.cx.site(self.number, self.at) }
    }

    fn waiting(&self) -> Vec<Site> {
        if self.is_probe { Vec::new() } else { self.cx.waiting(self.number, self.at) }
    }

    pub fn drain(&mut self, at: At) {
        self.at = at;
        let waiting: Vec<String> = self.waiting().into_iter().map(|site| format!("!{}", pending(site))).collect();
        if !waiting.is_empty() {
            self.emit(format!("ASSUME({})", waiting.join(" && ")));
        }
    }

    pub fn separate(&mut self) {
        if !self.is_probe {
            self.emit(format!("fences_{}++;", self.number));
        }
    }

    /// Stores a value in a place, at once or later.
    pub fn store(&mut self, place: &Expr, value: Expr) {
        let value = self.converted(value, place.ty);
        self.flush_memory();
        let Some(site) = self.site() else {
            self.in_place(|_| format!("&{}", place.tight()));
            return self.emit(format!("{} = {};", place.text, value.text));
        };
        let mut declaration = format!("static {};\n", self.cx.variable(place.ty, &stored(site)));
        // A variable for what may end is a pointer to it.
        let is_mortal = |object: &GlobalId| self.cx.objects.get(object).is_some_and(|object| object.mortal);
        let may_end = self.cx.written(site).objects().any(|object| is_mortal(&object));
        let target = match is_surely_there(&place.text) && !may_end {
            true => Target::Name(place.text.clone()),
            false => {
                let pointee = self.cx.types.add_scalar(place.ty);
                let ty = CType::Pointer(Some(pointee));
                let _ = writeln!(declaration, "static {};", self.cx.variable(ty, &target(site)));
                // It is checked now.
                self.emit(format!("(void){};", place.tight()));
                let name = self.cx.type_name(ty);
                self.emit(format!("{} = ({name})&{};", target(site), place.tight()));
                Target::Address
            }
        };
        self.emit(format!("{} = {};", stored(site), value.text));
        self.make(site, Slot { target, content: Content::Value(place.ty), declaration });
    }

    /// The store is in its slot. Does it arrive now?
    fn make(&mut self, site: Site, mut slot: Slot) {
        let pending = pending(site);
        let _ = writeln!(slot.declaration, "static _Bool {pending};");
        if !self.cx.buffers.fences[site.0].is_empty() {
            let _ = writeln!(slot.declaration, "static unsigned {};", epoch(site));
            self.emit(format!("{} = fences_{};", epoch(site), site.0));
        }
        self.cx.buffers.slots.insert(site, slot);
        let held_up = self.cx.is_held_up(site.0, &self.cx.arriving(site));
        let waits = held_up.map_or(String::new(), |condition| format!("{condition} || "));
        self.emit(format!("{pending} = {waits}CHOOSE();"));
        let waiting = self.waiting();
        if let Some(most) = self.cx.options.store_buffer.filter(|most| waiting.len() as u64 >= u64::from(*most)) {
            let flags: Vec<String> =
                std::iter::once("0".to_string()).chain(waiting.into_iter().map(self::pending)).collect();
            self.emit(format!("ASSUME(!{pending} || {} < {most})", flags.join(" + ")));
        }
        let arrives = self.cx.buffers.arrives(site);
        self.emit(format!("if (!{pending}) {{ {arrives} }}"));
    }

    /// A store is made in memory: if others see it, nothing waits that must arrive first.
    fn in_place(&mut self, address: impl Fn(&mut Self) -> String) {
        if self.waiting().is_empty() || !self.cx.facts.interference.visible(self.number, self.at.0, self.at.1) {
            return;
        }
        let op = &self.thread.blocks[self.at.0].steps[self.at.1].op;
        if let Some(StoreRule::Buffered { release }) = store_rule(self.cx.program().memory_model, op) {
            let epoch = format!("fences_{}", self.number);
            let store = Arriving { at: self.at, release, address: address(self), epoch };
            if let Some(condition) = self.cx.is_held_up(self.number, &store) {
                self.emit(format!("ASSUME(!({condition}))"));
            }
        }
    }

    /// An object ends that a variable of this name points to, if the pointer given does, too.
    pub fn drop_stores(&mut self, object: GlobalId, name: &str, pointer: Option<&str>) {
        let other = pointer.filter(|pointer| *pointer != name);
        let condition = other.map_or(String::new(), |pointer| format!("(void *){pointer} == (void *){name} && "));
        for statement in self.cx.dropped(object, name, &condition) {
            self.emit(statement);
        }
    }
}
