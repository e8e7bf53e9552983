//! Inputs whose value is chosen as late as possible.
//!
//! `int n = nondet();` has 2³² values, but most programs only ask a few questions of it. So an input
//! starts as a *symbol*, an interval of values that are all still possible. Registers and memory
//! may hold a [`View`] of a symbol: its value plus a constant, at some width. A comparison with a known
//! value cuts the interval at the points where the answer changes, and each part becomes one way to
//! go on. Only what needs the number itself (arithmetic beyond adding a constant, an address, …)
//! tries all values that are left, or a few samples if they are too many; then nothing is proved.
//!
//! This is not a symbolic engine, and does not want to be one: it lets the explicit one survive
//! `if (nondet())` and `assume(0 <= n && n < 4)`.
//!
//! In a replay every input has its value from the start, and nothing in here happens.

mod steps;

pub use steps::compare;

use crate::code::Src;
use crate::machine::Machine;
use crate::memory::{Initialised, Spot};
use crate::oracle::{Oracle, Stopped};
use selvedge_program::{Op, Reason};

/// What holds a view: a register (as an index into its thread's stack), or bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    Register { thread: u32, at: u32 },
    Variable { at: u32 },
    Object { thread: u32, index: u32, offset: u32 },
}

/// `(symbol + add) mod 2^bits`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub symbol: u32,
    pub add: u64,
    pub bits: u8,
}

impl View {
    fn bytes(self) -> usize {
        usize::from(self.bits.div_ceil(8))
    }

    fn of(self, value: u64) -> u64 {
        value.wrapping_add(self.add) & mask(self.bits)
    }
}

/// Any value from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub low: u64,
    pub high: u64,
    /// The instruction that made it, for messages.
    pub pc: u32,
    /// Which input of the run it is. Not part of the state's identity.
    pub event: u32,
}

/// A choice among the values of a symbol that a step began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowed {
    pub symbol: u32,
    pub low: u64,
    pub high: u64,
}

/// The symbols of a state. Almost always empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lazy {
    symbols: Vec<Symbol>,
    /// In the order of holders.
    views: Vec<(Holder, View)>,
}

impl Lazy {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Is something of this thread's open?
    pub fn mentions(&self, number: u32) -> bool {
        self.views.iter().any(|(holder, _)| match *holder {
            Holder::Register { thread, .. } | Holder::Object { thread, .. } => thread == number,
            Holder::Variable { .. } => false,
        })
    }

    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// Which inputs of the run are open.
    pub fn events(&self) -> Vec<u32> {
        self.symbols.iter().map(|symbol| symbol.event).collect()
    }

    pub fn clear(&mut self) {
        self.symbols.clear();
        self.views.clear();
    }

    fn get(&self, holder: Holder) -> Option<View> {
        self.views.binary_search_by_key(&holder, |(h, _)| *h).ok().map(|at| self.views[at].1)
    }

    fn set(&mut self, holder: Holder, view: View) {
        match self.views.binary_search_by_key(&holder, |(h, _)| *h) {
            Ok(at) => self.views[at].1 = view,
            Err(at) => self.views.insert(at, (holder, view)),
        }
    }

    fn remove(&mut self, holder: Holder) {
        if let Ok(at) = self.views.binary_search_by_key(&holder, |(h, _)| *h) {
            self.views.remove(at);
        }
    }

    /// Forgets what registers from `from` on hold: their frame is gone.
    pub fn drop_frame(&mut self, thread: usize, from: usize) {
        self.views.retain(
            |(h, _)| !matches!(h, Holder::Register { thread: t, at } if *t as usize == thread && *at as usize >= from),
        );
    }

    pub fn drop_register(&mut self, thread: usize, at: usize) {
        self.remove(Holder::Register { thread: thread as u32, at: at as u32 });
    }

    pub fn drop_object(&mut self, thread: usize, index: usize) {
        self.views.retain(
            |(h, _)| !matches!(h, Holder::Object { thread: t, index: i, .. } if (*t as usize, *i as usize) == (thread, index)),
        );
    }

    /// Drops symbols that nobody holds and numbers the rest in the order of their holders.
    pub fn tidy(&mut self) {
        if self.views.is_empty() {
            self.symbols.clear();
            return;
        }
        let mut order = Vec::new();
        for (_, view) in &mut self.views {
            let old = view.symbol;
            let new = order.iter().position(|o| *o == old).unwrap_or_else(|| {
                order.push(old);
                order.len() - 1
            });
            view.symbol = new as u32;
        }
        self.symbols = order.into_iter().map(|old| self.symbols[old as usize]).collect();
    }

    /// As words. Equal situations give equal words after [`Lazy::tidy`].
    pub fn encode(&self, words: &mut Vec<u64>) {
        if self.is_empty() {
            return;
        }
        words.push(self.symbols.len() as u64);
        for symbol in &self.symbols {
            words.extend([symbol.low, symbol.high, u64::from(symbol.pc)]);
        }
        for (holder, view) in &self.views {
            let (kind, a, b, c) = match *holder {
                Holder::Register { thread, at } => (0u64, thread, at, 0),
                Holder::Variable { at } => (1, 0, at, 0),
                Holder::Object { thread, index, offset } => (2, thread, index, offset),
            };
            words.push(kind << 60 | u64::from(a) << 32 | u64::from(b));
            words.push(u64::from(c) << 32 | u64::from(view.symbol) << 8 | u64::from(view.bits));
            words.push(view.add);
        }
    }

    /// The inverse of [`Lazy::encode`].
    pub fn decode(words: &[u64]) -> Option<Lazy> {
        let mut lazy = Lazy::default();
        let Some((count, rest)) = words.split_first() else { return Some(lazy) };
        let (symbols, views) = rest.split_at_checked(usize::try_from(count.checked_mul(3)?).ok()?)?;
        for s in symbols.chunks_exact(3) {
            lazy.symbols.push(Symbol { low: s[0], high: s[1], pc: s[2] as u32, event: u32::MAX });
        }
        for v in views.chunks_exact(3) {
            let (a, b, c) = ((v[0] >> 32) as u32 & 0x0fff_ffff, v[0] as u32, (v[1] >> 32) as u32);
            let holder = match v[0] >> 60 {
                0 => Holder::Register { thread: a, at: b },
                1 => Holder::Variable { at: b },
                2 => Holder::Object { thread: a, index: b, offset: c },
                _ => return None,
            };
            lazy.views.push((holder, View { symbol: (v[1] >> 8) as u32 & 0xff_ffff, add: v[2], bits: v[1] as u8 }));
        }
        Some(lazy)
    }
}

fn mask(bits: u8) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn holder_of(spot: Spot) -> Option<Holder> {
    match spot {
        Spot::Constant { .. } => None,
        Spot::Variable { at } => Some(Holder::Variable { at: at as u32 }),
        Spot::Object { thread, index, offset, .. } => {
            Some(Holder::Object { thread: thread as u32, index: index as u32, offset: offset as u32 })
        }
    }
}

/// Did an instruction have to be seen to because of a symbol?
pub enum Handled {
    /// It is done.
    Done,
    /// Its operands are plain values now: run it as usual.
    Plain,
}

impl crate::state::State {
    /// Leaves fewer values to a symbol. A single one is written to all its holders.
    pub fn narrow(&mut self, Narrowed { symbol, low, high }: Narrowed) {
        let entry = &mut self.lazy.symbols[symbol as usize];
        (entry.low, entry.high) = (low, high);
        if low == high {
            self.settle(symbol, low);
        }
    }

    /// Chooses what a step that did not happen chose of inputs that were open before it.
    pub fn narrow_all(&mut self, all: Vec<Narrowed>) {
        all.into_iter().for_each(|narrowed| self.narrow(narrowed));
        self.tidy_symbols();
    }

    fn settle(&mut self, symbol: u32, value: u64) {
        let views = std::mem::take(&mut self.lazy.views);
        let (settled, rest): (Vec<_>, Vec<_>) = views.into_iter().partition(|(_, view)| view.symbol == symbol);
        self.lazy.views = rest;
        for (holder, view) in settled {
            let value = view.of(value);
            match holder {
                Holder::Register { thread, at } => self.threads[thread as usize].stack[at as usize] = value,
                Holder::Variable { at } => self.globals.write(at as usize, view.bytes(), value),
                Holder::Object { thread, index, offset } => {
                    let thread = &mut self.threads[thread as usize];
                    if let Some(object) = thread.object(index as usize) {
                        let at = object.at as usize * 8 + offset as usize;
                        crate::memory::write(&mut thread.data, at, view.bytes(), value);
                    }
                }
            }
        }
    }

    /// Puts the symbols in order, and nothing into the registers that hold one.
    pub fn tidy_symbols(&mut self) {
        self.lazy.tidy();
        for (holder, _) in &self.lazy.views {
            if let Holder::Register { thread, at } = holder {
                self.threads[*thread as usize].stack[*at as usize] = 0;
            }
        }
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// A new input of `bits` bits: its value if the oracle knows it, else a symbol for `holders`.
    /// Gives the bits to put into the holders (0 for a symbol).
    pub fn new_input(&mut self, bits: u32, range: Option<(u64, u64)>, register: usize) -> Result<u128, Stopped> {
        if let Some(value) = self.oracle.input(self.thread, range.map_or(0, |(low, _)| low)) {
            let value = value?;
            if let Some((low, high)) = range
                && !(u128::from(low)..=u128::from(high)).contains(&value)
            {
                return Err(Stopped::GaveUp(Reason::Limit(format!("the schedule's input {value} is out of range"))));
            }
            return Ok(if bits >= 128 { value } else { value & ((1 << bits) - 1) });
        }
        if bits > 64 {
            return Err(Stopped::GaveUp(self.too_wide(self.pc)));
        }
        let (low, high) = range.unwrap_or((0, mask(bits as u8)));
        let event = self.oracle.new_event(self.thread, low, high);
        if low == high {
            return Ok(u128::from(low));
        }
        let symbol = self.new_symbol(low, high, event);
        let holder = self.register(register);
        self.state.lazy.set(holder, View { symbol, add: 0, bits: bits as u8 });
        Ok(0)
    }

    fn new_symbol(&mut self, low: u64, high: u64, event: u32) -> u32 {
        let symbols = &mut self.state.lazy.symbols;
        symbols.push(Symbol { low, high, pc: self.pc, event });
        symbols.len() as u32 - 1
    }

    /// Uninitialised memory is read: it gets a value now, or a symbol, which it keeps.
    pub fn initialise(&mut self, spot: Spot, bytes: usize) -> Result<(), Stopped> {
        let Spot::Object { thread, index, offset, .. } = spot else { return Ok(()) };
        match self.state.initialised(thread, index, offset, bytes) {
            Initialised::Fully => Ok(()),
            // Byte by byte, or whatever is whole.
            Initialised::Partly if bytes > 1 => {
                let half = bytes.next_power_of_two() / 2;
                self.initialise(spot, half)?;
                let rest = self.refreshed(spot.advanced(half));
                self.initialise(rest, bytes - half)
            }
            Initialised::Partly => unreachable!("a single byte is initialised or not"),
            Initialised::Not => self.fill_with_input(spot, bytes),
        }
    }

    /// Makes `bytes` bytes (at most 8) an input.
    pub fn fill_with_input(&mut self, spot: Spot, bytes: usize) -> Result<(), Stopped> {
        let value = match self.oracle.input(self.thread, 0) {
            Some(value) => value? as u64,
            None => {
                let bits = bytes as u8 * 8;
                let event = self.oracle.new_event(self.thread, 0, mask(bits));
                let symbol = self.new_symbol(0, mask(bits), event);
                if let Some(holder) = holder_of(spot) {
                    self.state.lazy.set(holder, View { symbol, add: 0, bits });
                }
                0
            }
        };
        self.state.write(spot, bytes, value);
        Ok(())
    }

    fn register(&self, slot: usize) -> Holder {
        Holder::Register { thread: self.thread as u32, at: (self.base + 1 + slot) as u32 }
    }

    pub fn view_of_source(&self, source: Src) -> Option<View> {
        source.slot().and_then(|slot| self.state.lazy.get(self.register(slot)))
    }

    /// A register's view moves to a register of another frame: arguments and results.
    pub fn set_view(&mut self, at: usize, view: Option<View>) {
        let holder = Holder::Register { thread: self.thread as u32, at: at as u32 };
        match view {
            Some(view) => self.state.lazy.set(holder, view),
            None => self.state.lazy.remove(holder),
        }
    }

    fn narrow(&mut self, symbol: u32, low: u64, high: u64) {
        self.oracle.narrow(self.state.lazy.symbols[symbol as usize].event, low, high);
        let narrowed = Narrowed { symbol, low, high };
        if (symbol as usize) < self.symbols_before {
            self.narrowed.push(narrowed);
        }
        // The running thread's stack is here, not in the state.
        std::mem::swap(&mut *self.state.threads[self.thread].stack, &mut self.stack);
        self.state.narrow(narrowed);
        std::mem::swap(&mut *self.state.threads[self.thread].stack, &mut self.stack);
    }

    /// Before bytes are read or written: symbols in them that the access does not cover exactly, or
    /// that may not stay symbols, get their value. Gives the view that exactly these bytes hold.
    pub fn symbols_in(&mut self, spot: Spot, bytes: usize, keep_exact: bool) -> Result<Option<View>, Stopped> {
        let Some(first) = holder_of(spot) else { return Ok(None) };
        self.split_at_edges(spot, bytes);
        let too_many = self.too_many_in(first, bytes);
        loop {
            let hit =
                self.state.lazy.views.iter().copied().find(|(holder, view)| overlap(*holder, *view, first, bytes));
            match hit {
                None => return Ok(None),
                Some((holder, view)) if keep_exact && holder == first && view.bytes() == bytes => {
                    return Ok(Some(view));
                }
                Some((_, view)) => self.choose_among(view, too_many)?,
            }
        }
    }

    /// Splits the symbols that are partly in these bytes and partly outside, where that is possible.
    pub fn split_at_edges(&mut self, spot: Spot, bytes: usize) {
        let Some(first) = holder_of(spot) else { return };
        let sticks_out = |holder: Holder, view: View| {
            let from = distance(first, holder).unwrap_or_default();
            overlap(holder, view, first, bytes) && (from < 0 || from + view.bytes() as i64 > bytes as i64)
        };
        let mut refused = Vec::new();
        loop {
            let views = &self.state.lazy.views;
            let next = views.iter().find(|(holder, view)| sticks_out(*holder, *view) && !refused.contains(holder));
            let Some((holder, view)) = next.copied() else { return };
            if !self.split_symbol(view) {
                refused.push(holder);
            }
        }
    }

    /// How many values of one symbol are too many, if all symbols in these bytes need a value.
    fn too_many_in(&self, first: Holder, bytes: usize) -> u64 {
        let touched = self.state.lazy.views.iter().filter(|(holder, view)| overlap(*holder, *view, first, bytes));
        let sizes = touched.map(|(_, view)| {
            let Symbol { low, high, .. } = self.state.lazy.symbols[view.symbol as usize];
            u128::from(high - low) + 1
        });
        let ways = sizes.fold(1u128, u128::saturating_mul);
        if ways > u128::from(self.max_input_values) { 1 } else { self.max_input_values }
    }

    /// A symbol of which nothing is known, in memory only, falls into two halves that have nothing to do with each
    /// other: a copy moved bytes that belong to different variables. False if it does not.
    fn split_symbol(&mut self, view: View) -> bool {
        let Symbol { low, high, pc, event } = self.state.lazy.symbols[view.symbol as usize];
        // What a section does to symbols that were there before is undone if it blocks, and must be known to who asks.
        let is_old = self.atomic > 0 && (view.symbol as usize) < self.symbols_before;
        let is_whole = |(holder, other): &(Holder, View)| {
            let in_memory = !matches!(holder, Holder::Register { .. });
            in_memory && other.add == 0 && other.bits == view.bits
        };
        let of_symbol = |(_, other): &&(Holder, View)| other.symbol == view.symbol;
        let views = &self.state.lazy.views;
        if is_old
            || view.bits < 16
            || (low, high) != (0, mask(view.bits))
            || !views.iter().filter(of_symbol).all(is_whole)
        {
            return false;
        }
        let bits = view.bits.next_power_of_two() / 2;
        let (first, second) = self.oracle.split(event, bits);
        let parts = [(0, bits, first), (bits, view.bits - bits, second)];
        let holders: Vec<Holder> = views.iter().filter(of_symbol).map(|(holder, _)| *holder).collect();
        for (shift, bits, event) in parts {
            self.state.lazy.symbols.push(Symbol { low: 0, high: mask(bits), pc, event });
            let symbol = self.state.lazy.symbols.len() as u32 - 1;
            for holder in &holders {
                self.state.lazy.set(advanced(*holder, u32::from(shift / 8)), View { symbol, add: 0, bits });
            }
        }
        true
    }

    /// Bytes get a plain value: whatever symbol they held whole is forgotten.
    pub fn overwrite_symbols(&mut self, spot: Spot, bytes: usize) -> Result<(), Stopped> {
        let Some(first) = holder_of(spot) else { return Ok(()) };
        let covered = |holder: Holder, view: View| {
            overlap(holder, view, first, bytes)
                && distance(first, holder).is_some_and(|d| d >= 0 && d as usize + view.bytes() <= bytes)
        };
        self.state.lazy.views.retain(|(holder, view)| !covered(*holder, *view));
        self.symbols_in(spot, bytes, false).map(|_| ())
    }

    /// The view that exactly these bytes hold.
    pub fn exact_symbol(&self, spot: Spot, bytes: usize) -> Option<View> {
        holder_of(spot).and_then(|holder| self.state.lazy.get(holder)).filter(|view| view.bytes() == bytes)
    }

    pub fn has_symbol(&self, spot: Spot, bytes: usize) -> bool {
        holder_of(spot).is_some_and(|first| self.state.lazy.views.iter().any(|(h, v)| overlap(*h, *v, first, bytes)))
    }

    pub fn put_symbol(&mut self, spot: Spot, view: View) {
        if let Some(holder) = holder_of(spot) {
            self.state.lazy.set(holder, view);
        }
    }

    /// A load's result takes over the view of what it read.
    pub fn give_slot(&mut self, slot: usize, view: View, bits: u8) {
        let holder = self.register(slot);
        self.state.lazy.set(holder, View { bits, ..view });
    }

    fn too_wide(&self, pc: u32) -> Reason {
        Reason::WideInput { input: self.input_name(pc), at: self.code.program.source.describe(self.user_loc()) }
    }

    /// What people call the input that the instruction at `pc` made.
    fn input_name(&self, pc: u32) -> String {
        use selvedge_program::Input;
        match self.code.op(pc) {
            Some(Op::Nondet { input: Input::Call(name), .. }) => format!("{name}()"),
            Some(Op::Nondet { input: Input::Unmodelled(name), .. }) => format!("of the unmodelled function {name}()"),
            Some(Op::Nondet { input: Input::Uninitialised(name), .. }) => format!("`{name}`, which is uninitialised,"),
            Some(Op::Load { place: Some(place), .. }) => {
                format!("`{}`, which is uninitialised,", self.code.program.places[*place])
            }
            _ => "from uninitialised memory".to_string(),
        }
    }
}

/// So many bytes further on in memory.
fn advanced(holder: Holder, by: u32) -> Holder {
    match holder {
        Holder::Register { .. } => holder,
        Holder::Variable { at } => Holder::Variable { at: at + by },
        Holder::Object { thread, index, offset } => Holder::Object { thread, index, offset: offset + by },
    }
}

fn distance(from: Holder, to: Holder) -> Option<i64> {
    match (from, to) {
        (Holder::Variable { at: a }, Holder::Variable { at: b }) => Some(i64::from(b) - i64::from(a)),
        (
            Holder::Object { thread, index, offset: a },
            Holder::Object { thread: other_thread, index: other_index, offset: b },
        ) if (thread, index) == (other_thread, other_index) => Some(i64::from(b) - i64::from(a)),
        _ => None,
    }
}

fn overlap(holder: Holder, view: View, first: Holder, bytes: usize) -> bool {
    distance(first, holder).is_some_and(|d| d < bytes as i64 && d + view.bytes() as i64 > 0)
}
