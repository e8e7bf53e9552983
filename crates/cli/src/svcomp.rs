//! `selvedge svcomp`: a check by the competition's rules, as a command line of `selvedge check`.

use crate::args::{Command, DATA_MODELS, Given, LimitArgs, SvcompArgs, name_of};
use crate::check;
use crate::failure::Failure;
use std::ffi::OsString;

pub fn svcomp(args: &SvcompArgs, given: &Given) -> Result<u8, Failure> {
    let mut witness = OsString::from("--report=witness=");
    witness.push(&args.witness);
    let mut words: Vec<OsString> =
        ["selvedge", "check", "--no-project", "--strict", "--quiet", "--report=svcomp"].map(Into::into).into();
    let mut invariants = OsString::from("--report=invariants=");
    invariants.push(&args.invariants);
    words.extend([
        witness,
        invariants,
        "--property-file".into(),
        args.property_file.clone().into(),
        "--data-model".into(),
    ]);
    words.push(name_of(&DATA_MODELS, &args.data_model).into());
    words.extend(given.words::<LimitArgs>().into_iter().chain(args.check_args.clone()).map(OsString::from));
    words.push(args.file.clone().into());
    let read = crate::args::read(words.into_iter()).map_err(|error| Failure::BadInput(error.to_string()))?;
    let (Command::Check(args), given) = read else { unreachable!("it is a check") };
    check::check(args, given)
}
