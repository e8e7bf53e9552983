//! Loads find the thread's own stores first.
//!
//! A slot has just the bytes of the load, if it has any, or it is not known which: then the bytes of slots are laid
//! over those of memory one after another (`OVERLAY`).

use super::overlap::{Bytes, Overlap};
use super::{Content, Site, pending, stored};
use crate::expression::{Expr, Level};
use crate::printer::Printer;
use crate::types::CType;

impl Printer<'_, '_> {
    /// The stores that may be pending and have bytes that the step reads, from the oldest on.
    pub(super) fn own(&self) -> Vec<(Site, Overlap)> {
        let waiting = self.waiting();
        if waiting.is_empty() {
            return Vec::new();
        }
        let read = Bytes::read(self.cx.facts, self.number, self.at);
        let overlaps = waiting.into_iter().map(|site| (site, read.overlap(&self.cx.written(site))));
        overlaps.filter(|(_, overlap)| *overlap != Overlap::Never).collect()
    }

    /// The value that a load finds in a place: the thread's own stores come first.
    pub fn own_or_memory(&mut self, place: Expr) -> Expr {
        let own = self.own();
        let is_alike = |(site, overlap): &(Site, Overlap)| {
            let slot = self.cx.buffers.slots.get(site);
            *overlap != Overlap::Bytes
                && slot.is_some_and(|slot| matches!(slot.content, Content::Value(ty) if ty == place.ty))
        };
        if !own.iter().all(is_alike) {
            let name = self.loaded(place.ty);
            self.emit(format!("{name} = {};", place.text));
            self.lay_over(&own, &name, &format!("&{}", place.tight()));
            return Expr::new(name, Level::Primary, place.ty);
        }
        own.into_iter().fold(place.clone(), |older, (site, overlap)| {
            let equal = match overlap {
                Overlap::Always | Overlap::Never => String::new(),
                Overlap::IfEqual | Overlap::Bytes => {
                    format!(" && (void *){} == (void *)&{}", self.cx.buffers.address(site), place.tight())
                }
            };
            let text = format!("({}{equal} ? {} : {})", pending(site), stored(site), older.text);
            Expr::new(text, Level::Primary, place.ty)
        })
    }

    fn loaded(&mut self, ty: CType) -> String {
        let name = format!("loaded_{}", self.cx.buffers.loaded.len());
        let declaration = format!("static {};\n", self.cx.variable(ty, &name));
        self.cx.buffers.loaded.push(declaration);
        name
    }

    /// Some bytes that were read from an address, with those of own stores over them.
    pub(super) fn lay_over(&mut self, own: &[(Site, Overlap)], bytes: &str, address: &str) {
        let read = Bytes::read(self.cx.facts, self.number, self.at);
        for (site, _) in own {
            let (written, from) = (self.cx.written(*site), self.cx.buffers.address(*site));
            let stored = stored(*site);
            self.emit(format!(
                "if ({}) {{ OVERLAY({bytes}, {address}, {read}, {stored}, {from}, {written}) }}",
                pending(*site)
            ));
        }
    }
}
