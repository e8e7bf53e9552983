//! A copy of a state to go back to. Keeping it up to date and going back cost what was changed in between, not the size
//! of the state.

use super::{Buffer, State, Thread};

/// Always the state that was kept last. What is marked as changed in the state that it is a copy of has been changed
/// since.
pub struct Checkpoint(State);

impl Checkpoint {
    pub fn of(state: &mut State) -> Checkpoint {
        let copy = Checkpoint(state.clone());
        state.globals.settle();
        state.threads.iter_mut().for_each(settle);
        copy
    }

    /// Makes the state the one to go back to.
    pub fn keep(&mut self, state: &mut State) {
        let Checkpoint(kept) = self;
        state.globals.changed_pieces().for_each(|piece| kept.globals.refill(piece, state.globals.piece(piece)));
        state.globals.settle();
        kept.threads.truncate(state.threads.len());
        let known = kept.threads.len();
        for (now, kept) in state.threads.iter_mut().zip(&mut kept.threads) {
            for (now, kept) in buffers(now).into_iter().zip(buffers(kept)) {
                if now.is_changed() {
                    kept.refill(now);
                    now.settle();
                }
            }
        }
        for new in &mut state.threads[known..] {
            kept.threads.push(new.clone());
            settle(new);
        }
        kept.late_inputs.clone_from(&state.late_inputs);
    }

    /// Is the state the one that was kept?
    pub fn is_same(&self, state: &State) -> bool {
        let Checkpoint(kept) = self;
        let same = |now: &Buffer, kept: &Buffer| !now.is_changed() || now == kept;
        let is_same_piece = |piece: usize| state.globals.piece(piece) == kept.globals.piece(piece);
        state.threads.len() == kept.threads.len()
            && state.threads.iter().zip(&kept.threads).all(|(now, kept)| {
                same(&now.stack, &kept.stack) && same(&now.objects, &kept.objects) && same(&now.data, &kept.data)
            })
            && state.globals.changed_pieces().all(is_same_piece)
            && state.late_inputs == kept.late_inputs
    }

    /// Goes back.
    pub fn restore(&self, state: &mut State) {
        let Checkpoint(kept) = self;
        state.globals.restore(&kept.globals);
        state.threads.truncate(kept.threads.len());
        for (now, kept) in state.threads.iter_mut().zip(&kept.threads) {
            for (now, kept) in buffers(now).into_iter().zip([&kept.stack, &kept.objects, &kept.data]) {
                if now.is_changed() {
                    now.refill(kept);
                }
            }
        }
        state.late_inputs.clone_from(&kept.late_inputs);
    }
}

fn buffers(thread: &mut Thread) -> [&mut Buffer; 3] {
    [&mut thread.stack, &mut thread.objects, &mut thread.data]
}

fn settle(thread: &mut Thread) {
    buffers(thread).into_iter().for_each(Buffer::settle);
}
