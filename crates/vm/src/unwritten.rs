//! The bytes of new objects to which nobody has written yet, by which a person is told of reads of them.
//!
//! The state has such a bitmap as well ([`crate::state::Object::uninitialised`]), but there bytes count as written once
//! an input has been taken for them; and schedules of formulas say from the start what objects hold.

use crate::memory::Spot;
use crate::oracle::Note;
use std::collections::HashMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Unwritten {
    /// By the thread that made the object, and its number: of each byte whether it is unwritten.
    objects: HashMap<(usize, usize), Vec<bool>>,
}

impl Unwritten {
    /// Follows what a thread does.
    pub fn follow(&mut self, by: usize, note: &Note) {
        match note {
            Note::Allocated { index, size, uninitialised } => {
                let bytes = if *uninitialised { *size as usize } else { 0 };
                self.objects.insert((by, *index), vec![true; bytes]);
            }
            Note::Write { spot, bytes, .. } | Note::Buffered { spot, bytes, .. } => {
                if let Some(bytes) = self.bytes(*spot, *bytes) {
                    bytes.fill(false);
                }
            }
            Note::At | Note::Read { .. } | Note::Left { .. } | Note::Entered { .. } | Note::Leaving { .. } => {}
            Note::Input { .. } | Note::Created { .. } | Note::Ended | Note::Freed { .. } | Note::UsedTooLate { .. } => {
            }
            Note::Acquired { .. } | Note::Released { .. } => {}
        }
    }

    /// Whether nothing was written to these bytes. Of a struct that is copied, the gaps alone do not count.
    pub fn has(&mut self, spot: Spot, bytes: u64) -> bool {
        self.bytes(spot, bytes).is_some_and(|bytes| !bytes.is_empty() && !bytes.contains(&false))
    }

    fn bytes(&mut self, spot: Spot, bytes: u64) -> Option<&mut [bool]> {
        let Spot::Object { thread, index, offset, .. } = spot else { return None };
        self.objects.get_mut(&(thread, index))?.get_mut(offset..offset + bytes as usize)
    }
}
