//! The states that wait to be expanded: in memory, or all but its ends on disk, always or when memory is short. They
//! wait as numbers of the store, which takes little beside the states themselves.
//!
//! The order is the same either way, and so is the search.

use super::disk::{Block, Blocks};
use super::pool::Item;
use super::search::Order;
use super::store::StateId;
use selvedge_program::Reason;
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Default)]
pub struct Frontier {
    /// Those that come next.
    near: VecDeque<Item>,
    /// Breadth first, behind all else: new ones, while there are some here or on disk.
    far: VecDeque<Item>,
    /// The oldest first.
    on_disk: VecDeque<Block>,
    blocks: Option<Arc<Blocks>>,
    /// Items on disk.
    away: usize,
    /// The error on disk, if there was one. Items that could not be written are still here; those that could not be
    /// read are not.
    failure: Option<Reason>,
}

impl Frontier {
    /// With a place for what is too much, if there is one.
    pub fn new(blocks: Option<Arc<Blocks>>) -> Frontier {
        Frontier { blocks, ..Frontier::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn len(&self) -> usize {
        self.near.len() + self.far.len() + self.away
    }

    pub fn failure(&self) -> Option<&Reason> {
        self.failure.as_ref()
    }

    pub fn bytes(&self) -> u64 {
        let (items, blocks) = (self.near.capacity() + self.far.capacity(), self.on_disk.capacity());
        (items * size_of::<Item>() + blocks * size_of::<Block>()) as u64
    }

    #[inline]
    pub fn push(&mut self, item: Item, order: Order) {
        if order == Order::BreadthFirst && (self.away > 0 || !self.far.is_empty()) {
            self.far.push_back(item);
        } else {
            self.near.push_back(item);
        }
        if let Some(blocks) = &self.blocks
            && self.near.len().max(self.far.len()) > 2 * blocks.size
            && blocks.are_wanted()
        {
            self.make_room(order);
        }
    }

    #[inline]
    pub fn pop(&mut self, order: Order) -> Option<Item> {
        if self.near.is_empty() && (self.away > 0 || !self.far.is_empty()) {
            self.fetch(order);
        }
        match order {
            Order::DepthFirst => self.near.pop_back(),
            Order::BreadthFirst => self.near.pop_front(),
        }
    }

    /// The item that was taken last comes next again.
    pub fn put_back(&mut self, item: Item, order: Order) {
        match order {
            Order::DepthFirst => self.near.push_back(item),
            Order::BreadthFirst => self.near.push_front(item),
        }
    }

    /// The items in memory, newest first.
    pub fn newest(&self) -> impl Iterator<Item = &Item> {
        self.near.iter().rev()
    }

    /// Those in memory that may be given away, or taken from others; none are added while there are any.
    pub fn near(&mut self) -> &mut VecDeque<Item> {
        &mut self.near
    }

    /// Writes the oldest; breadth first, the oldest of those that come behind the ones on disk.
    #[cold]
    fn make_room(&mut self, order: Order) {
        let Some(blocks) = self.blocks.clone().filter(|_| self.failure.is_none()) else { return };
        if order == Order::BreadthFirst && self.away == 0 && self.far.is_empty() {
            self.far = self.near.split_off(blocks.size);
        }
        let from = if order == Order::BreadthFirst { &mut self.far } else { &mut self.near };
        while from.len() > 2 * blocks.size {
            let words: Vec<u64> = from.iter().take(blocks.size).map(|item| item.word()).collect();
            match blocks.write(&words) {
                Ok(block) => {
                    from.drain(..words.len());
                    self.on_disk.push_back(block);
                    self.away += words.len();
                }
                Err(_) if blocks.can_do_without() => return,
                Err(reason) => {
                    self.failure = Some(reason);
                    return;
                }
            }
        }
        // There may have been many when memory became short.
        if from.capacity() > 8 * blocks.size {
            from.shrink_to(4 * blocks.size);
            self.near.shrink_to(4 * blocks.size);
        }
    }

    #[cold]
    fn fetch(&mut self, order: Order) {
        let block = match order {
            Order::DepthFirst => self.on_disk.pop_back(),
            Order::BreadthFirst => self.on_disk.pop_front(),
        };
        let (Some(block), Some(blocks)) = (block, &self.blocks) else {
            self.near.append(&mut self.far);
            return;
        };
        match blocks.read(block) {
            Ok(words) => {
                self.away -= words.len();
                self.near.extend(words.into_iter().map(Item::from_word));
            }
            Err(reason) => self.failure = Some(reason),
        }
    }
}

impl Item {
    fn word(self) -> u64 {
        u64::from(self.state.0) | u64::from(self.thread) << 32
    }

    fn from_word(word: u64) -> Item {
        Item { state: StateId(word as u32), thread: (word >> 32) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_engine::control::Disk;

    fn item(number: u32) -> Item {
        Item { state: StateId(number), thread: (number % 100) as u8 }
    }

    /// Pushes and pops as a search may; what comes out.
    fn played(blocks: Option<Arc<Blocks>>, order: Order) -> Vec<(u32, u8)> {
        let mut frontier = Frontier::new(blocks);
        let mut random = fastrand::Rng::with_seed(7);
        let (mut out, mut next) = (Vec::new(), 0);
        for round in 0..2000 {
            if random.u32(..100) < if round % 400 < 200 { 70 } else { 30 } {
                frontier.push(item(next), order);
                next += 1;
            } else {
                out.extend(frontier.pop(order));
            }
        }
        assert_eq!(frontier.len(), next as usize - out.len());
        out.extend(std::iter::from_fn(|| frontier.pop(order)));
        assert!(frontier.is_empty() && frontier.failure().is_none());
        out.into_iter().map(|item| (item.state.0, item.thread)).collect()
    }

    #[test]
    fn the_disk_changes_no_order() {
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            for block in [1, 3, 16] {
                let blocks = Blocks::new(&Disk { block, ..Disk::new(std::env::temp_dir()) }).expect("a file");
                assert_eq!(played(Some(Arc::clone(&blocks)), order), played(None, order));
            }
        }
    }

    fn full_disk(block: usize, from: u64) -> Arc<Blocks> {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        Arc::new(Blocks::in_file(full.into(), &Disk { folder: "/".into(), block, from }))
    }

    #[test]
    fn a_full_disk_ends_the_search() {
        let text = "program lp64 entry @main\nglobal @x 4 align 4\n\
                    fn @t(%p: ptr, %q: ptr) {\n  i32 %r\nentry:\n  %r = load @x\n  %r = add %r, 1i32\n  \
                    store i32 %r to @x\n  return\n}\n\
                    fn @main() -> i32 {\n  i32 %a\nentry:\n  %a = spawn(@t, null, null)\n  \
                    %a = spawn(@t, null, null)\n  store i32 1i32 to @x\n  return 0i32\n}\n";
        let (program, task) =
            (selvedge_program::text::parse(text).expect("a program"), selvedge_engine::Task::default());
        let code = selvedge_vm::Code::new(&program, task.properties).expect("code");
        let control = selvedge_engine::Control::default();
        let everything = selvedge_vm::Sharing::everything();
        let search = super::super::Search::new(&code, everything, &task, &control, Order::DepthFirst, 1);
        match search.with_disk(Some(&full_disk(1, 0))).run() {
            Err(super::super::End::Stopped(Reason::Limit(why))) => assert!(why.contains("No space left"), "{why}"),
            _ => panic!("it went on without what it could not write"),
        }
    }

    #[test]
    fn what_cannot_be_written_stays() {
        for from in [0, 1] {
            let blocks = full_disk(2, from);
            blocks.look_at_memory(from);
            let mut frontier = Frontier::new(Some(blocks));
            (0..20).for_each(|number| frontier.push(item(number), Order::DepthFirst));
            // A search that uses the disk only because memory is short can go on.
            assert_eq!(frontier.failure().is_some(), from == 0);
            assert_eq!(std::iter::from_fn(|| frontier.pop(Order::DepthFirst)).count(), 20);
        }
    }

    #[test]
    fn what_waits_is_written_when_memory_becomes_short() {
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let disk = Disk { folder: std::env::temp_dir(), block: 16, from: 100 };
            let blocks = Blocks::new(&disk).expect("no file yet");
            let mut frontier = Frontier::new(Some(Arc::clone(&blocks)));
            let mut in_memory = Frontier::default();
            for number in 0..1000 {
                frontier.push(item(number), order);
                in_memory.push(item(number), order);
                blocks.look_at_memory(u64::from(number) / 5);
                assert_eq!(frontier.away > 0, number > 500, "{number}");
            }
            assert!(frontier.near.len() + frontier.far.len() <= 64 && blocks.bytes() > 7000);
            assert!(frontier.bytes() < in_memory.bytes());
            let out = |mut frontier: Frontier| -> Vec<u32> {
                std::iter::from_fn(|| frontier.pop(order)).map(|item| item.state.0).collect()
            };
            assert_eq!(out(frontier), out(in_memory));
        }
    }
}
