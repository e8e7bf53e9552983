//! The open inputs of a state: symbols, the views of them, and the registers and bytes that hold these.

use selvedge_program::semantics::narrow;
use std::ops::Range;

/// The holder of a view: bytes of memory, or a register (as an index into its thread's stack). Registers come last in
/// the order: they are few and change with every instruction, where arrays of inputs may be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    Variable { at: u32 },
    Object { thread: u32, index: u32, offset: u32 },
    Register { thread: u32, at: u32 },
}

impl Holder {
    pub(super) fn is_memory(self) -> bool {
        match self {
            Holder::Variable { .. } | Holder::Object { .. } => true,
            Holder::Register { .. } => false,
        }
    }

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
    /// How many views of it are in memory.
    pub(super) in_memory: u32,
}

impl Symbol {
    /// Without a holder so far.
    pub(super) fn new(low: u64, high: u64, pc: u32, event: u32) -> Symbol {
        Symbol { low, high, pc, event, in_memory: 0 }
    }
}

/// A choice among the values of a symbol that existed before the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowed {
    pub symbol: u32,
    pub low: u64,
    pub high: u64,
}

/// The symbols of a state. Almost always empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LateInputs {
    pub(super) symbols: Vec<Symbol>,
    /// Sorted by holder.
    views: Vec<(Holder, View)>,
}

impl LateInputs {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Whether a register or object of this thread holds a symbol.
    pub fn mentions(&self, number: u32) -> bool {
        self.views.iter().any(|(holder, _)| match *holder {
            Holder::Register { thread, .. } | Holder::Object { thread, .. } => thread == number,
            Holder::Variable { .. } => false,
        })
    }

    #[inline]
    pub fn view_count(&self) -> usize {
        self.views.len()
    }

    /// Where in the list all views stand that overlap these bytes.
    pub(super) fn overlapping(&self, first: Holder, bytes: usize) -> Range<usize> {
        const LONGEST: u32 = u64::BITS / 8;
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let begin = first.moved(|at| at.saturating_sub(LONGEST - 1));
        let end = first.moved(|at| at.saturating_add(bytes));
        let begin = self.views.partition_point(|(holder, _)| *holder < begin);
        begin..begin + self.views[begin..].partition_point(|(holder, _)| *holder < end)
    }

    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// The numbers of the open inputs in the run.
    pub fn events(&self) -> Vec<u32> {
        self.symbols.iter().map(|symbol| symbol.event).collect()
    }

    pub fn clear(&mut self) {
        self.symbols.clear();
        self.views.clear();
    }

    pub(super) fn get(&self, holder: Holder) -> Option<View> {
        self.views.binary_search_by_key(&holder, |(h, _)| *h).ok().map(|at| self.views[at].1)
    }

    pub(super) fn set(&mut self, holder: Holder, view: View) {
        match self.views.binary_search_by_key(&holder, |(h, _)| *h) {
            Ok(at) => {
                let before = std::mem::replace(&mut self.views[at].1, view);
                count_out(&mut self.symbols, holder, before);
            }
            Err(at) => self.views.insert(at, (holder, view)),
        }
        self.symbols[view.symbol as usize].in_memory += u32::from(holder.is_memory());
    }

    pub(super) fn remove(&mut self, holder: Holder) {
        if let Ok(at) = self.views.binary_search_by_key(&holder, |(h, _)| *h) {
            let (_, view) = self.views.remove(at);
            count_out(&mut self.symbols, holder, view);
        }
    }

    /// Drops the views from `first` to `last`, both included.
    fn drop_between(&mut self, first: Holder, last: Holder) {
        let begin = self.views.partition_point(|(holder, _)| *holder < first);
        let end = begin + self.views[begin..].partition_point(|(holder, _)| *holder <= last);
        for (holder, view) in self.views.drain(begin..end) {
            count_out(&mut self.symbols, holder, view);
        }
    }

    /// Drops the views of registers from `from` on, because their frame is gone.
    pub fn drop_frame(&mut self, thread: usize, from: usize) {
        let register = |at| Holder::Register { thread: thread as u32, at };
        self.drop_between(register(from as u32), register(u32::MAX));
    }

    pub fn drop_register(&mut self, thread: usize, at: usize) {
        self.remove(Holder::Register { thread: thread as u32, at: at as u32 });
    }

    pub fn drop_object(&mut self, thread: usize, index: usize) {
        let byte = |offset| Holder::Object { thread: thread as u32, index: index as u32, offset };
        self.drop_between(byte(0), byte(u32::MAX));
    }

    /// Drops the views that overlap these bytes and of which `is_gone` holds.
    pub(super) fn drop_overlapping(&mut self, first: Holder, bytes: usize, is_gone: impl Fn(Holder, View) -> bool) {
        let among = self.overlapping(first, bytes);
        for (holder, view) in self.views.extract_if(among, |(holder, view)| is_gone(*holder, *view)) {
            count_out(&mut self.symbols, holder, view);
        }
    }

    /// All views that overlap these bytes, and perhaps their neighbours.
    pub(super) fn near(&self, first: Holder, bytes: usize) -> &[(Holder, View)] {
        &self.views[self.overlapping(first, bytes)]
    }

    pub(super) fn in_registers(&self) -> &[(Holder, View)] {
        &self.views[self.first_register()..]
    }

    fn first_register(&self) -> usize {
        self.views.partition_point(|(holder, _)| holder.is_memory())
    }

    /// The views of one symbol. Memory is looked at only if it holds one.
    pub(super) fn views_of(&self, symbol: u32) -> impl Iterator<Item = (Holder, View)> {
        let among = match self.symbols[symbol as usize].in_memory {
            0 => self.in_registers(),
            _ => &self.views,
        };
        among.iter().copied().filter(move |(_, view)| view.symbol == symbol)
    }

    /// Drops the views of one symbol, and returns them.
    pub(super) fn take_views_of(&mut self, symbol: u32) -> Vec<(Holder, View)> {
        let from = match std::mem::take(&mut self.symbols[symbol as usize].in_memory) {
            0 => self.first_register(),
            _ => 0,
        };
        self.views.extract_if(from.., |(_, view)| view.symbol == symbol).collect()
    }

    /// Drops symbols without a holder, and numbers the others in the order of their holders.
    pub fn tidy(&mut self) {
        if self.views.is_empty() {
            self.symbols.clear();
            return;
        }
        let mut numbers = vec![None; self.symbols.len()];
        let mut ordered = Vec::new();
        for (_, view) in &mut self.views {
            let old = view.symbol as usize;
            view.symbol = *numbers[old].get_or_insert_with(|| {
                ordered.push(self.symbols[old]);
                ordered.len() as u32 - 1
            });
        }
        self.symbols = ordered;
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
        for (holder, view) in &self.views {
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
            late_inputs.symbols.push(Symbol::new(s[0], s[1], s[2] as u32, u32::MAX));
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
            late_inputs.symbols.get_mut(view.symbol as usize)?.in_memory += u32::from(holder.is_memory());
            late_inputs.views.push((holder, view));
        }
        Some(late_inputs)
    }
}

/// Every view that is dropped is counted here.
fn count_out(symbols: &mut [Symbol], holder: Holder, view: View) {
    symbols[view.symbol as usize].in_memory -= u32::from(holder.is_memory());
}

pub(super) fn mask(bits: u8) -> u64 {
    narrow::truncate(bits, u64::MAX)
}
