//! SV-COMP task definitions, formats 1.0 and 2.0.

use super::task::{Aim, Expected, SuiteTask, part};
use crate::failure::Failure;
use crate::property_file::{self, Asked};
use selvedge_from_llvm::clang::DataModel;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Definition {
    input_files: OneOrMore,
    #[serde(default)]
    properties: Vec<Wanted>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
struct Wanted {
    property_file: String,
    expected_verdict: Option<bool>,
    subproperty: Option<String>,
}

#[derive(Deserialize, Default)]
struct Options {
    data_model: Option<String>,
}

/// Folders hold other YAML files too; those are none of ours.
pub fn is_task(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().any(|line| line.starts_with("input_files"))
}

/// One task for each property.
pub fn read(path: &Path, set: &str) -> Result<Vec<SuiteTask>, Failure> {
    let bad = |error: &dyn std::fmt::Display| Failure::BadInput(format!("cannot read {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| bad(&error))?;
    let definition: Definition = serde_yaml_ng::from_str(&text).map_err(|error| bad(&error))?;
    let data_model = match definition.options.data_model.as_deref() {
        Some("LP64") => DataModel::Lp64,
        // SV-COMP's default.
        None | Some("ILP32") => DataModel::Ilp32,
        Some(other) => return Err(bad(&format!("there is no data model {other}"))),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let inputs: Vec<String> = match definition.input_files {
        OneOrMore::One(file) => vec![file],
        OneOrMore::More(files) => files,
    };
    let task = |wanted: &Wanted| SuiteTask {
        set: set.to_string(),
        name: path.display().to_string(),
        inputs: inputs.iter().map(|file| folder.join(file)).collect(),
        flags: Vec::new(),
        data_model,
        property: label(&wanted.property_file),
        unwind: None,
        aim: aim(folder, wanted),
    };
    Ok(definition.properties.iter().map(task).collect())
}

fn label(property_file: &str) -> String {
    Path::new(property_file).file_stem().map_or(property_file.into(), |stem| stem.to_string_lossy()).into_owned()
}

fn aim(folder: &Path, wanted: &Wanted) -> Aim {
    let file = folder.join(&wanted.property_file);
    let asked = match std::fs::read_to_string(&file) {
        Ok(text) => property_file::parse(&text).ok(),
        // Task definitions travel without their property files; the names are standard.
        Err(_) => property_file::by_name(&file),
    };
    match (asked, wanted.expected_verdict) {
        (Some(Asked::NotYet(_)), _) => Aim::Skip(format!("{} is not supported", label(&wanted.property_file))),
        (None, _) => Aim::Skip("the property file is not understood".to_string()),
        (_, None) => Aim::Skip("no expected verdict".to_string()),
        (Some(Asked::Check(properties)), Some(holds)) => {
            let part = wanted.subproperty.as_deref().and_then(part);
            Aim::Check { properties, expected: Expected { holds, part } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<SuiteTask>, Failure> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.yml");
        std::fs::write(&path, text).expect("a file");
        read(&path, "set")
    }

    #[test]
    fn both_formats() {
        let old = "format_version: '1.0'\ninput_files: 'a.i'\nproperties:\n  \
                   - property_file: ../properties/unreach-call.prp\n    expected_verdict: false\n";
        let new = "format_version: '2.0'\ninput_files:\n  - 'a.i'\n  - 'b.i'\nproperties:\n  \
                   - property_file: p/valid-memsafety.prp\n    expected_verdict: false\n    subproperty: valid-deref\n  \
                   - property_file: p/no-data-race.prp\n    expected_verdict: true\n\
                   options:\n  language: C\n  data_model: LP64\n";
        let Ok(old) = read_text(old) else { panic!("format 1.0") };
        assert_eq!((old.len(), old[0].inputs.len()), (1, 1));
        assert_eq!(old[0].property, "unreach-call");
        let Ok(new) = read_text(new) else { panic!("format 2.0") };
        assert_eq!((new.len(), new[0].inputs.len()), (2, 2));
        assert_eq!(new[0].data_model, DataModel::Lp64);
        assert!(matches!(new[0].aim, Aim::Check { expected: Expected { holds: false, part: Some(_) }, .. }));
        assert!(matches!(new[1].aim, Aim::Check { expected: Expected { holds: true, part: None }, .. }));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(read_text("input_files: {a: b}\n").is_err());
        assert!(read_text("- 1\n").is_err());
        assert!(read_text("input_files: a.i\noptions: {data_model: ILP64}\n").is_err());
    }
}
