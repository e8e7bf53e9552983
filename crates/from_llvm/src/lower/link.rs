//! Linking: the definition that a name refers to.
//!
//! Symbols with external linkage are one across modules; the strongest definition wins: the user's
//! before a model's (a program may bring its own `malloc`), strong before weak, a definition before
//! a declaration. Internal symbols stay with their module.

use std::collections::HashMap;

use selvedge_program::Origin;

use super::{LowerError, Unit};
use crate::ll::{Linkage, Symbol};

/// A function, global or alias: its module, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub unit: usize,
    pub index: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    Function(Key),
    Global(Key),
    Alias(Key),
}

/// How strongly a symbol claims its name. The order is the precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Declared,
    /// A copy for the optimiser; the definition is elsewhere. C99's `inline` functions and C++'s extern templates are
    /// such.
    Copied,
    ModelWeak,
    ModelStrong,
    UserWeak,
    UserStrong,
}

#[derive(Debug, Default)]
pub struct Links {
    external: HashMap<Symbol, (Rank, Entity)>,
    /// Internal symbols, by module.
    internal: Vec<HashMap<Symbol, Entity>>,
}

impl Links {
    pub fn new(units: &[Unit]) -> Result<Links, LowerError> {
        let mut links = Links { external: HashMap::new(), internal: vec![HashMap::new(); units.len()] };
        for (unit, Unit { module, origin, .. }) in units.iter().enumerate() {
            for (index, f) in module.functions.iter().enumerate() {
                let entity = Entity::Function(Key { unit, index });
                links.add(unit, *origin, &f.name, f.linkage, !f.is_declaration(), entity)?;
            }
            for (index, g) in module.globals.iter().enumerate() {
                // Appending globals are lists for the linker (`llvm.used`), not variables.
                if g.linkage != Linkage::Appending {
                    let entity = Entity::Global(Key { unit, index });
                    links.add(unit, *origin, &g.name, g.linkage, g.init.is_some(), entity)?;
                }
            }
            for (index, a) in module.aliases.iter().enumerate() {
                let entity = Entity::Alias(Key { unit, index });
                links.add(unit, *origin, &a.name, a.linkage, true, entity)?;
            }
        }
        Ok(links)
    }

    fn add(
        &mut self,
        unit: usize,
        origin: Origin,
        name: &Symbol,
        linkage: Linkage,
        defined: bool,
        entity: Entity,
    ) -> Result<(), LowerError> {
        if matches!(linkage, Linkage::Internal | Linkage::Private) {
            self.internal[unit].insert(name.clone(), entity);
            return Ok(());
        }
        let strong = linkage == Linkage::External;
        let copied = linkage == Linkage::AvailableExternally;
        let rank = match (defined, origin, strong) {
            (false, _, _) => Rank::Declared,
            (true, _, _) if copied => Rank::Copied,
            (true, Origin::Model, false) => Rank::ModelWeak,
            (true, Origin::Model, true) => Rank::ModelStrong,
            (true, Origin::User, false) => Rank::UserWeak,
            (true, Origin::User, true) => Rank::UserStrong,
        };
        match self.external.get_mut(name) {
            Some((Rank::UserStrong, _)) if rank == Rank::UserStrong => {
                return Err(LowerError::DefinedTwice(name.to_string()));
            }
            Some(known) => {
                if known.0 < rank {
                    *known = (rank, entity);
                }
            }
            None => {
                self.external.insert(name.clone(), (rank, entity));
            }
        }
        Ok(())
    }

    /// The entity that `name` refers to inside a module.
    pub fn resolve(&self, unit: usize, name: &str) -> Option<Entity> {
        self.internal[unit].get(name).copied().or_else(|| self.external(name))
    }

    pub fn external(&self, name: &str) -> Option<Entity> {
        self.external.get(name).map(|(_, entity)| *entity)
    }
}
