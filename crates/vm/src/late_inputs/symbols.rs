//! The open inputs of a state: symbols, the views of them, and the registers and bytes that hold these.

use selvedge_program::semantics::narrow;
use std::ops::Range;

/// The holder of a view: a register (as an index into its thread's stack), or bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    Register { thread: u32, at: u32 },
    Variable { at: u32 },
    Object { thread: u32, index: u32, offset: u32 },
}

impl Holder {
    /// Another place in the same memory; a register is only itself.
    pub(super) fn moved(self, to: impl Fn(u32) -> u32) -> Holder {
        match self {
            Holder::Register { .. } => self,
            Holder::Variable { at } => Holder::Variable { at: to(at) },
            Holder::Object { thread, index, offset } => Holder::Object { thread, index, offset: to(offset) },
        }
    }
}

/// `(symbol * factor + add) mod 2^bits`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub symbol: u32,
    pub factor: u64,
    pub add: u64,
    pub bits: u8,
}

impl View {
    pub(super) fn bytes(self) -> usize {
        usize::from(self.bits.div_ceil(8))
    }

    pub(super) fn of(self, value: u64) -> u64 {
        value.wrapping_mul(self.factor).wrapping_add(self.add) & mask(self.bits)
    }
}

/// Any value from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub low: u64,
    pub high: u64,
    /// The instruction that created it, for messages.
    pub pc: u32,
    /// The number of the input in the run. Not part of the state's identity.
    pub event: u32,
}

/// A choice among the values of a symbol that existed before the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowed {
    pub symbol: u32,
    pub low: u64,
    pub high: u64,
}

/// The symbols of a state. Almost always empty, but an array that is filled with random numbers has one for each element: registers,
/// whose views come and go, have a list of their own, and nothing that is done at every instruction looks through memory's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LateInputs {
    pub(super) symbols: Vec<Symbol>,
    /// The views in registers, sorted by holder.
    registers: Vec<(Holder, View)>,
    /// The views in memory, sorted by holder.
    pub(super) memory: Vec<(Holder, View)>,
    /// Symbols from this one on are in no memory.
    stored: u32,
}

impl LateInputs {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.memory.is_empty()
    }

    /// Sorted by holder.
    pub(super) fn views(&self) -> impl Iterator<Item = &(Holder, View)> {
        self.registers.iter().chain(&self.memory)
    }

    /// All views of this symbol, sorted by holder.
    pub(super) fn views_of(&self, symbol: u32) -> impl Iterator<Item = &(Holder, View)> {
        let memory = if self.is_stored(symbol) { self.memory.as_slice() } else { &[] };
        self.registers.iter().chain(memory).filter(move |(_, view)| view.symbol == symbol)
    }

    /// May memory hold it? Then it takes time to find all its views.
    pub(super) fn is_stored(&self, symbol: u32) -> bool {
        symbol < self.stored
    }

    /// Removes all views of this symbol.
    pub(super) fn take_views_of(&mut self, symbol: u32) -> Vec<(Holder, View)> {
        let is_of = |(_, view): &mut (Holder, View)| view.symbol == symbol;
        let mut taken: Vec<_> = self.registers.extract_if(.., is_of).collect();
        if self.is_stored(symbol) {
            taken.extend(self.memory.extract_if(.., is_of));
        }
        taken
    }

    fn list(&self, holder: Holder) -> &Vec<(Holder, View)> {
        match holder {
            Holder::Register { .. } => &self.registers,
            Holder::Variable { .. } | Holder::Object { .. } => &self.memory,
        }
    }

    fn list_mut(&mut self, holder: Holder) -> &mut Vec<(Holder, View)> {
        match holder {
            Holder::Register { .. } => &mut self.registers,
            Holder::Variable { .. } | Holder::Object { .. } => &mut self.memory,
        }
    }

    /// Whether a register or object of this thread holds a symbol.
    pub fn mentions(&self, number: u32) -> bool {
        self.views().any(|(holder, _)| match *holder {
            Holder::Register { thread, .. } | Holder::Object { thread, .. } => thread == number,
            Holder::Variable { .. } => false,
        })
    }

    #[inline]
    pub fn view_count(&self) -> usize {
        self.registers.len() + self.memory.len()
    }

    /// Where in the list of memory all views stand that overlap these bytes.
    pub(super) fn overlapping(&self, first: Holder, bytes: usize) -> Range<usize> {
        const LONGEST: u32 = u64::BITS / 8;
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let begin = first.moved(|at| at.saturating_sub(LONGEST - 1));
        let end = first.moved(|at| at.saturating_add(bytes));
        let begin = self.memory.partition_point(|(holder, _)| *holder < begin);
        begin..begin + self.memory[begin..].partition_point(|(holder, _)| *holder < end)
    }

    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// The numbers of the open inputs in the run.
    pub fn events(&self) -> Vec<u32> {
        self.symbols.iter().map(|symbol| symbol.event).collect()
    }

    pub fn clear(&mut self) {
        *self = LateInputs::default();
    }

    pub(super) fn get(&self, holder: Holder) -> Option<View> {
        let list = self.list(holder);
        list.binary_search_by_key(&holder, |(h, _)| *h).ok().map(|at| list[at].1)
    }

    pub(super) fn set(&mut self, holder: Holder, view: View) {
        if !matches!(holder, Holder::Register { .. }) {
            self.stored = self.stored.max(view.symbol + 1);
        }
        let list = self.list_mut(holder);
        match list.binary_search_by_key(&holder, |(h, _)| *h) {
            Ok(at) => list[at].1 = view,
            Err(at) => list.insert(at, (holder, view)),
        }
    }

    pub(super) fn remove(&mut self, holder: Holder) {
        let list = self.list_mut(holder);
        if let Ok(at) = list.binary_search_by_key(&holder, |(h, _)| *h) {
            list.remove(at);
        }
    }

    /// Drops the views of registers from `from` on, because their frame is gone.
    pub fn drop_frame(&mut self, thread: usize, from: usize) {
        self.registers.retain(
            |(h, _)| !matches!(h, Holder::Register { thread: t, at } if *t as usize == thread && *at as usize >= from),
        );
    }

    pub fn drop_register(&mut self, thread: usize, at: usize) {
        self.remove(Holder::Register { thread: thread as u32, at: at as u32 });
    }

    pub fn drop_object(&mut self, thread: usize, index: usize) {
        let (thread, index) = (thread as u32, index as u32);
        let (first, last) =
            (Holder::Object { thread, index, offset: 0 }, Holder::Object { thread, index, offset: u32::MAX });
        let begin = self.memory.partition_point(|(holder, _)| *holder < first);
        let count = self.memory[begin..].partition_point(|(holder, _)| *holder <= last);
        self.memory.drain(begin..begin + count);
    }

    /// Drops symbols without a holder, and numbers the others in the order of their holders.
    pub fn tidy(&mut self) {
        if self.is_empty() {
            self.clear();
            return;
        }
        let mut numbers = vec![None; self.symbols.len()];
        let mut ordered = Vec::new();
        for (_, view) in self.registers.iter_mut().chain(&mut self.memory) {
            let old = view.symbol as usize;
            view.symbol = *numbers[old].get_or_insert_with(|| {
                ordered.push(self.symbols[old]);
                ordered.len() as u32 - 1
            });
        }
        self.symbols = ordered;
        self.stored = self.symbols.len() as u32;
    }

    /// The symbols as words. Equal situations give equal words after [`LateInputs::tidy`].
    pub fn encode(&self, words: &mut Vec<u64>) {
        if self.is_empty() {
            return;
        }
        words.push(self.symbols.len() as u64);
        for symbol in &self.symbols {
            words.extend([symbol.low, symbol.high, u64::from(symbol.pc)]);
        }
        for (holder, view) in self.views() {
            let (kind, a, b, c) = match *holder {
                Holder::Register { thread, at } => (0u64, thread, at, 0),
                Holder::Variable { at } => (1, 0, at, 0),
                Holder::Object { thread, index, offset } => (2, thread, index, offset),
            };
            words.push(kind << 60 | u64::from(a) << 32 | u64::from(b));
            words.push(u64::from(c) << 32 | u64::from(view.symbol) << 8 | u64::from(view.bits));
            words.extend([view.factor, view.add]);
        }
    }

    /// The inverse of [`LateInputs::encode`].
    pub fn decode(words: &[u64]) -> Option<LateInputs> {
        let mut late_inputs = LateInputs::default();
        let Some((count, rest)) = words.split_first() else { return Some(late_inputs) };
        let (symbols, views) = rest.split_at_checked(usize::try_from(count.checked_mul(3)?).ok()?)?;
        for s in symbols.chunks_exact(3) {
            late_inputs.symbols.push(Symbol { low: s[0], high: s[1], pc: s[2] as u32, event: u32::MAX });
        }
        for v in views.chunks_exact(4) {
            let (a, b, c) = ((v[0] >> 32) as u32 & 0x0fff_ffff, v[0] as u32, (v[1] >> 32) as u32);
            let holder = match v[0] >> 60 {
                0 => Holder::Register { thread: a, at: b },
                1 => Holder::Variable { at: b },
                2 => Holder::Object { thread: a, index: b, offset: c },
                _ => return None,
            };
            let view = View { symbol: (v[1] >> 8) as u32 & 0xff_ffff, factor: v[2], add: v[3], bits: v[1] as u8 };
            late_inputs.list_mut(holder).push((holder, view));
        }
        late_inputs.stored = late_inputs.symbols.len() as u32;
        Some(late_inputs)
    }
}

pub(super) fn mask(bits: u8) -> u64 {
    narrow::truncate(bits, u64::MAX)
}
