//! Options of a compilation: the language, the data model, optimisations, flags.

use std::path::PathBuf;

/// The widths of C's types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModel {
    /// `int`, `long` and pointers of 32 bits: `-m32`.
    Ilp32,
    /// `long` and pointers of 64 bits: `-m64`.
    #[default]
    Lp64,
}

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cxx,
}

impl Language {
    /// As clang's `-x` calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "c++",
        }
    }

    pub(super) fn default_standard(self) -> &'static str {
        match self {
            Language::C => "-std=gnu11",
            Language::Cxx => "-std=gnu++17",
        }
    }

    /// Whether a flag that chooses a standard is about this language.
    pub(super) fn knows(self, flag: &str) -> bool {
        match flag.strip_prefix("-std=") {
            Some(standard) => standard.contains("++") == (self == Language::Cxx),
            None => flag != "-ansi" || self == Language::C,
        }
    }
}

/// The optimisations that the compiler applies to the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptLevel {
    #[default]
    O0,
    O1,
    O2,
    O3,
}

impl DataModel {
    pub(crate) fn flag(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "-m32",
            DataModel::Lp64 => "-m64",
        }
    }
}

impl OptLevel {
    pub(crate) fn flag(self) -> &'static str {
        match self {
            OptLevel::O0 => "-O0",
            OptLevel::O1 => "-O1",
            OptLevel::O2 => "-O2",
            OptLevel::O3 => "-O3",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct ClangOptions {
    pub include_dirs: Vec<PathBuf>,
    /// `NAME` or `NAME=value`.
    pub defines: Vec<String>,
    pub undefines: Vec<String>,
    /// The language standard; gnu11 if absent.
    pub std: Option<String>,
    pub data_model: DataModel,
    pub opt: OptLevel,
    /// Handed to clang after everything else.
    pub extra_args: Vec<String>,
    /// Flags of single files, as their build has them; what is given for all files wins.
    pub file_args: Vec<(PathBuf, Vec<String>)>,
    /// Headers that need not exist as files: (name, text), found by
    /// `#include "name"`.
    pub headers: Vec<(String, String)>,
    /// Declarations that stand before the text of every file.
    pub declarations: String,
}
