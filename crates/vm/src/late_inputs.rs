//! Inputs whose value is chosen as late as possible.
//!
//! `int n = nondet();` has 2³² values, but most programs only compare it a few times. An input therefore
//! starts as a *symbol*, an interval of values that are all still possible. Registers and memory
//! may hold a [`View`] of a symbol: its value times a constant plus another, at some width. A comparison with a known
//! value cuts the interval at the points where its result changes, and each part becomes one alternative.
//! Remainders and quotients by a known number are such views again, or constant, piece by piece ([`blocks`]).
//! Only an operation that needs the number itself (other arithmetic, an address, …)
//! tries all remaining values, or a few samples if they are too many; then nothing is proved.
//!
//! This is not a symbolic engine, and not meant to be one: it lets the explicit engine survive
//! `if (nondet())` and `assume(0 <= n && n < 4)`.
//!
//! In a replay every input has its value from the start, and this module has nothing to do.

mod blocks;
mod steps;
mod symbols;

pub use symbols::{LateInputs, Narrowed, View};

use crate::code::Src;
use crate::machine::Machine;
use crate::memory::{Initialised, Spot};
use crate::oracle::{Oracle, Stopped};
use selvedge_program::{Op, Reason};
use symbols::{Holder, Symbol, mask};

fn holder_of(spot: Spot) -> Option<Holder> {
    match spot {
        Spot::Constant { .. } => None,
        Spot::Variable { at } => Some(Holder::Variable { at: at as u32 }),
        Spot::Object { thread, index, offset, .. } => {
            Some(Holder::Object { thread: thread as u32, index: index as u32, offset: offset as u32 })
        }
    }
}

/// The outcome of handling the symbols among an instruction's operands.
pub enum Handled {
    /// The instruction has been executed.
    Done,
    /// Its operands are plain values now: execute it as usual.
    Plain,
}

impl crate::state::State {
    /// Restricts a symbol to fewer values. A single one is written to all its holders.
    pub fn narrow(&mut self, Narrowed { symbol, low, high }: Narrowed) {
        let entry = &mut self.late_inputs.symbols[symbol as usize];
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
        for (holder, view) in self.late_inputs.take_views_of(symbol) {
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

    /// Puts the symbols in canonical order, and zeroes the registers that hold one.
    pub fn tidy_symbols(&mut self) {
        self.late_inputs.tidy();
        for (holder, _) in self.late_inputs.in_registers() {
            if let Holder::Register { thread, at } = holder {
                self.threads[*thread as usize].stack[*at as usize] = 0;
            }
        }
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// A new input of `bits` bits: its value if the oracle knows it, else a symbol for the register.
    /// Returns the bits to store in the register (0 for a symbol).
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
        self.state.late_inputs.set(holder, View { symbol, factor: 1, add: 0, bits: bits as u8 });
        Ok(0)
    }

    fn new_symbol(&mut self, low: u64, high: u64, event: u32) -> u32 {
        let symbols = &mut self.state.late_inputs.symbols;
        symbols.push(Symbol::new(low, high, self.pc, event));
        symbols.len() as u32 - 1
    }

    /// Gives uninitialised memory a value, or a symbol, which it keeps, before it is read.
    pub fn initialise(&mut self, spot: Spot, bytes: usize) -> Result<(), Stopped> {
        let Spot::Object { thread, index, offset, .. } = spot else { return Ok(()) };
        match self.state.initialised(thread, index, offset, bytes) {
            Initialised::Fully => Ok(()),
            // Split into halves until each is initialised as a whole or not at all.
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
                    self.state.late_inputs.set(holder, View { symbol, factor: 1, add: 0, bits });
                }
                0
            }
        };
        self.state.write(spot, bytes, value);
        self.note_choice_of_contents(spot, bytes);
        Ok(())
    }

    /// Others who read the memory get the value that it was given now, and have nothing to choose: where footprints
    /// count, this is a write.
    fn note_choice_of_contents(&mut self, spot: Spot, bytes: usize) {
        if let Spot::Object { thread, site, offset, .. } = spot
            && self.recorder.is_wanted()
        {
            if !self.alone {
                self.sharing.object(site, offset, bytes, thread == self.thread, true, self.held);
            }
            self.touch(spot, bytes, true);
            self.recorder.happens();
        }
    }

    fn register(&self, slot: usize) -> Holder {
        Holder::Register { thread: self.thread as u32, at: (self.base + 1 + slot) as u32 }
    }

    pub fn view_of_source(&self, source: Src) -> Option<View> {
        source.slot().and_then(|slot| self.state.late_inputs.get(self.register(slot)))
    }

    /// Stores a view in a register of another frame, for arguments and results.
    pub fn set_view(&mut self, at: usize, view: Option<View>) {
        let holder = Holder::Register { thread: self.thread as u32, at: at as u32 };
        match view {
            Some(view) => self.state.late_inputs.set(holder, view),
            None => self.state.late_inputs.remove(holder),
        }
    }

    fn narrow(&mut self, symbol: u32, low: u64, high: u64) {
        self.oracle.narrow(self.state.late_inputs.symbols[symbol as usize].event, low, high);
        let narrowed = Narrowed { symbol, low, high };
        if (symbol as usize) < self.symbols_before {
            self.narrowed.push(narrowed);
        }
        // The running thread's stack is in the machine, not in the state.
        std::mem::swap(&mut *self.state.threads[self.thread].stack, &mut self.stack);
        self.state.narrow(narrowed);
        std::mem::swap(&mut *self.state.threads[self.thread].stack, &mut self.stack);
    }

    /// Prepares bytes for an access: symbols in them that the access does not cover exactly, or
    /// that must not stay symbols, get their value. Returns the view that exactly these bytes hold.
    pub fn symbols_in(&mut self, spot: Spot, bytes: usize, keep_exact: bool) -> Result<Option<View>, Stopped> {
        let Some(first) = holder_of(spot) else { return Ok(None) };
        self.split_at_edges(spot, bytes);
        let too_many = self.too_many_in(first, bytes);
        loop {
            let hit = self.views_in(first, bytes).next();
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
            from < 0 || from + view.bytes() as i64 > bytes as i64
        };
        let mut refused = Vec::new();
        loop {
            let is_next = |(holder, view): &(Holder, View)| sticks_out(*holder, *view) && !refused.contains(holder);
            let Some((holder, view)) = self.views_in(first, bytes).find(is_next) else { return };
            if !self.split_symbol(view) {
                refused.push(holder);
            }
        }
    }

    /// The number of values of one symbol that is too many, if all symbols in these bytes need a value.
    fn too_many_in(&self, first: Holder, bytes: usize) -> u64 {
        let sizes = self.views_in(first, bytes).map(|(_, view)| {
            let Symbol { low, high, .. } = self.state.late_inputs.symbols[view.symbol as usize];
            u128::from(high - low) + 1
        });
        let ways = sizes.fold(1u128, u128::saturating_mul);
        if ways > u128::from(self.max_input_values) { 1 } else { self.max_input_values }
    }

    /// Splits an unconstrained symbol that is held only in memory into two independent halves: it was made by a
    /// copy of bytes that belong to different variables. False if that is not possible.
    fn split_symbol(&mut self, view: View) -> bool {
        let Symbol { low, high, pc, event, .. } = self.state.late_inputs.symbols[view.symbol as usize];
        // A section that blocks is undone, including its changes to older symbols; the search must know about these.
        let is_old = self.atomic > 0 && (view.symbol as usize) < self.symbols_before;
        let is_whole = |(holder, other): (Holder, View)| {
            holder.is_memory() && (other.factor, other.add) == (1, 0) && other.bits == view.bits
        };
        let late_inputs = &self.state.late_inputs;
        if is_old
            || view.bits < 16
            || (low, high) != (0, mask(view.bits))
            || !late_inputs.views_of(view.symbol).all(is_whole)
        {
            return false;
        }
        let bits = view.bits.next_power_of_two() / 2;
        let (first, second) = self.oracle.split(event, bits);
        let parts = [(0, bits, first), (bits, view.bits - bits, second)];
        let holders: Vec<Holder> = late_inputs.views_of(view.symbol).map(|(holder, _)| holder).collect();
        for (shift, bits, event) in parts {
            self.state.late_inputs.symbols.push(Symbol::new(0, mask(bits), pc, event));
            let symbol = self.state.late_inputs.symbols.len() as u32 - 1;
            for holder in &holders {
                self.state
                    .late_inputs
                    .set(holder.moved(|at| at + u32::from(shift / 8)), View { symbol, factor: 1, add: 0, bits });
            }
        }
        true
    }

    /// Drops the symbols in bytes that are overwritten with a plain value.
    pub fn overwrite_symbols(&mut self, spot: Spot, bytes: usize) -> Result<(), Stopped> {
        let Some(first) = holder_of(spot) else { return Ok(()) };
        let covered = |holder: Holder, view: View| {
            distance(first, holder).is_some_and(|d| d >= 0 && d as usize + view.bytes() <= bytes)
        };
        self.state.late_inputs.drop_overlapping(first, bytes, covered);
        self.symbols_in(spot, bytes, false).map(|_| ())
    }

    /// The view that exactly these bytes hold.
    pub fn exact_symbol(&self, spot: Spot, bytes: usize) -> Option<View> {
        holder_of(spot).and_then(|holder| self.state.late_inputs.get(holder)).filter(|view| view.bytes() == bytes)
    }

    pub fn has_symbol(&self, spot: Spot, bytes: usize) -> bool {
        holder_of(spot).is_some_and(|first| self.views_in(first, bytes).next().is_some())
    }

    /// The views that overlap these bytes.
    fn views_in(&self, first: Holder, bytes: usize) -> impl Iterator<Item = (Holder, View)> {
        let near = self.state.late_inputs.near(first, bytes).iter().copied();
        near.filter(move |(holder, view)| overlap(*holder, *view, first, bytes))
    }

    pub fn put_symbol(&mut self, spot: Spot, view: View) {
        if let Some(holder) = holder_of(spot) {
            self.state.late_inputs.set(holder, view);
        }
    }

    /// Gives the result of a load the view of the bytes that it read.
    pub fn give_slot(&mut self, slot: usize, view: View, bits: u8) {
        let holder = self.register(slot);
        self.state.late_inputs.set(holder, View { bits, ..view });
    }

    fn too_wide(&self, pc: u32) -> Reason {
        Reason::WideInput { input: self.input_name(pc), at: self.code.program.source.describe(self.user_loc()) }
    }

    /// A description of the input that the instruction at `pc` created.
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
