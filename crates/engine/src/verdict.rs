//! From an engine's finding to a verdict: the one place where "unsafe" and "safe" are said.
//!
//! A violation is replayed on the VM first. If the run does not show it again, that is a bug of
//! ours, reported as such and never as "unsafe".

use selvedge_program::{
    Assumption, Claim, Coverage, Finding, InternalError, Limit, Orders, Program, Proof, Properties, Property, Reach,
    Reason, Role, Schedule, Scope, Vacuity, Verdict, Violation,
};
use selvedge_vm::replay::{Replayed, replay};

/// The answer for the user, with its assumptions and its strength.
#[derive(Clone, PartialEq, Debug)]
pub struct Conclusion {
    pub verdict: Verdict,
    pub assumptions: Vec<Assumption>,
    /// How far runs got, if nothing was found and that is known.
    pub reach: Option<Reach>,
    /// Why "safe" may mean nothing.
    pub vacuity: Option<Vacuity>,
    /// Why nothing can go wrong, if that was proved.
    pub proof: Option<Proof>,
    /// Why the search went no further.
    pub stopped_by: Option<Reason>,
}

impl Conclusion {
    /// `--strict`: "nothing was found" must not rest on any assumption.
    #[must_use]
    pub fn strict(self) -> Conclusion {
        match self.verdict {
            Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } => {
                let refused = self.assumptions.iter().filter(|assumption| assumption.is_refused_by_strict());
                let assumptions: Vec<Assumption> = refused.cloned().collect();
                let assumed = (!assumptions.is_empty()).then_some(Reason::Assumed { assumptions });
                match assumed.or_else(|| self.vacuity.clone().map(Reason::Vacuous)) {
                    None => self,
                    Some(reason) => Conclusion { verdict: Verdict::Unknown(reason), vacuity: None, ..self },
                }
            }
            Verdict::Unsafe(_) | Verdict::Unknown(_) => self,
        }
    }
}

/// `--strict`: the reason not to search a program at all, if its assumptions could even lead to false alarms.
pub fn refusal(program: &Program) -> Option<Reason> {
    let assumptions: Vec<Assumption> =
        program.all_assumptions().into_iter().filter(Assumption::may_invent_bugs).collect();
    (!assumptions.is_empty()).then_some(Reason::Assumed { assumptions })
}

pub fn conclude(program: &Program, properties: Properties, finding: Finding) -> Result<Conclusion, InternalError> {
    let (mut assumptions, mut finding) = (program.all_assumptions(), finding);
    let (mut reach, mut stopped_by, mut proof) = (None, None, None);
    if let Finding::NoneWithin(coverage) = &mut finding {
        (reach, stopped_by) =
            (coverage.reach.take().map(|reach| *reach), coverage.stopped_by.take().map(|reason| *reason));
        proof = coverage.proof.take().map(|proof| *proof);
        assumptions.append(&mut coverage.assumptions);
        assumptions.extend(unchecked_ends(properties, coverage));
    }
    if let Finding::Violation { .. } = &finding {
        // Whatever else could have happened, this can.
        assumptions
            .retain(|assumption| assumption.may_invent_bugs() || matches!(assumption, Assumption::Suppressed(_)));
    }
    let vacuity = reach.as_ref().and_then(|reach| reach.vacuity(program));
    Ok(Conclusion { verdict: verdict(program, properties, finding)?, assumptions, reach, vacuity, proof, stopped_by })
}

fn verdict(program: &Program, properties: Properties, finding: Finding) -> Result<Verdict, InternalError> {
    match finding {
        Finding::Violation { schedule, violation } => confirm(program, properties, schedule, &violation),
        Finding::NoneWithin(within) if program.observers.abstraction.is_some() => {
            let abstraction = program.observers.abstraction.iter().map(|observer| observer.name.clone()).collect();
            Ok(Verdict::SafeUnder { abstraction, within })
        }
        Finding::NoneWithin(coverage) if coverage.is_complete() => Ok(Verdict::Safe),
        Finding::NoneWithin(coverage) => Ok(Verdict::SafeWithin(coverage)),
        Finding::GaveUp(reason) => Ok(Verdict::Unknown(reason)),
        Finding::Contradiction { found_by, schedule, violation, safe_by } => {
            // If the violation does not replay, the engine that found it is wrong, not the other one.
            let confirmed = confirm(program, properties, schedule.clone(), &violation)?;
            if depends_on_addresses(&confirmed) {
                return Ok(confirmed);
            }
            Err(contradiction(program, (found_by, schedule, &violation), safe_by))
        }
        Finding::NoProof { technique, claim, evidence } => Err(InternalError {
            what: format!("{technique} claims a proof that our own check refuses: {claim}"),
            evidence,
            ..InternalError::default()
        }),
        Finding::Unfollowed { found_by, claim, evidence } => Err(InternalError {
            what: format!("{found_by} says: {claim}; but none of our runs within the same bounds goes wrong"),
            evidence,
            ..InternalError::default()
        }),
    }
}

/// Limits a finding by the properties outside of the engine's scope. If no other property was asked about, there is no
/// finding. An engine that knows nothing of suppressed violations gives up at the first.
pub fn in_scope(scope: Scope, program: &Program, asked: Properties, finding: Finding) -> Finding {
    let mut coverage = match finding {
        Finding::NoneWithin(coverage) => coverage,
        Finding::Violation { violation, .. } if program.suppresses(violation.property, violation.loc) => {
            let (property, at) = (violation.property.name(), program.source.describe(violation.loc));
            let what = format!("found only a violation that is not to be reported ({property} at {at})");
            return Finding::GaveUp(Reason::Limit(what));
        }
        finding => return finding,
    };
    let missing = asked.without(scope.properties);
    if missing == asked && !asked.is_empty() {
        return Finding::GaveUp(Reason::NotLookedFor { properties: asked.iter().collect() });
    }
    // An engine that does not look for leaks does not look for what is left behind either: one name is enough.
    let is_named = |property: &Property| *property != Property::Cleanup || !missing.contains(Property::Leak);
    let mut limits: Vec<Limit> = missing.iter().filter(is_named).map(Limit::NotLookedFor).collect();
    let observers = &program.observers;
    let roles = [
        (Role::Abstraction, observers.abstraction.is_some(), scope.abstraction),
        (Role::Init, observers.init.is_some(), scope.init),
    ];
    let ignored = roles.into_iter().filter(|(_, given, asked)| *given && !asked);
    limits.extend(ignored.map(|(role, ..)| Limit::NotAsked(role)));
    let races = asked.contains(Property::Race) && !missing.contains(Property::Race);
    let orders = if races { program.orders() } else { Orders::SeqCst };
    let only_sc = match program.memory_model.has_buffers() {
        true => !scope.store_buffers,
        // C11 has other runs.
        false => orders > Orders::SeqCst,
    };
    limits.extend(only_sc.then_some(Limit::OnlySequentiallyConsistent));
    limits.extend((orders == Orders::Relaxed).then_some(Limit::OrderedByRelaxedAtomics));
    // An engine made of others has theirs already.
    limits.retain(|limit| !coverage.limits.contains(limit));
    coverage.limits.extend(limits);
    Finding::NoneWithin(coverage)
}

/// Code behind an unchecked misuse was not looked at. That is said, and it is a limit if no run was seen to
/// end otherwise.
fn unchecked_ends(asked: Properties, coverage: &mut Coverage) -> Option<Assumption> {
    let unasked = asked.unasked_misuse();
    match coverage.ends.take() {
        None if unasked.is_empty() => None,
        None => Some(Assumption::MayEndUnchecked(unasked.iter().collect())),
        Some(ends) if ends.unchecked.is_empty() && ends.possible.is_empty() => None,
        Some(ends) if ends.unchecked.is_empty() => {
            let kinds: Properties = ends.possible.iter().map(|end| end.misuse).collect();
            Some(Assumption::MayEndUnchecked(kinds.iter().collect()))
        }
        Some(ends) => {
            if !ends.normally {
                coverage.limits.push(Limit::EndsUnchecked(ends.unchecked.clone()));
            }
            Some(Assumption::EndsUnchecked(ends.unchecked))
        }
    }
}

fn contradiction(
    program: &Program,
    (found_by, schedule, violation): (&'static str, Schedule, &Violation),
    safe_by: &'static str,
) -> InternalError {
    let found = format!("found {} at {}", violation.text, program.source.describe(violation.loc));
    InternalError {
        what: format!(
            "two engines contradict each other: {found_by} {found}, which its replay confirms, but {safe_by} says safe"
        ),
        schedule: None,
        claims: vec![
            Claim { engine: found_by, says: found, schedule: Some(schedule) },
            Claim {
                engine: safe_by,
                says: "safe: everything was searched, and nothing found".to_string(),
                schedule: None,
            },
        ],
        ..InternalError::default()
    }
}

/// Is it unsafe only if objects lie where the schedule says? An engine that tried another layout was not wrong.
fn depends_on_addresses(verdict: &Verdict) -> bool {
    let Verdict::Unsafe(trace) = verdict else { return false };
    trace.schedule.objects.iter().flatten().any(|object| object.window.is_some())
}

/// Does the schedule show this violation?
pub fn confirms(program: &Program, properties: Properties, schedule: &Schedule, violation: &Violation) -> bool {
    confirm(program, properties, schedule.clone(), violation).is_ok()
}

fn confirm(
    program: &Program,
    properties: Properties,
    schedule: Schedule,
    claimed: &Violation,
) -> Result<Verdict, InternalError> {
    for shorter in schedule.shorter() {
        if let Replayed::Violation(trace) = replay(program, properties, &shorter)
            && is_the_same(&trace.violation, claimed)
        {
            return Ok(Verdict::Unsafe(trace));
        }
    }
    let what = match replay(program, properties, &schedule) {
        Replayed::Violation(trace) if is_the_same(&trace.violation, claimed) || is_earlier(&trace.violation) => {
            return Ok(Verdict::Unsafe(trace));
        }
        Replayed::Violation(trace) => format!(
            "the engine found {} at {}, its replay {} at {}",
            claimed.text,
            program.source.describe(claimed.loc),
            trace.violation.text,
            program.source.describe(trace.violation.loc),
        ),
        Replayed::Nothing { why } => {
            format!("the replay did not show {} at {}: {why}", claimed.text, program.source.describe(claimed.loc))
        }
    };
    Err(InternalError { what, schedule: Some(Box::new(schedule)), ..InternalError::default() })
}

/// Engines look for races where threads are left; the replay looks in every state, and may see one on the way.
fn is_earlier(seen: &Violation) -> bool {
    seen.property == Property::Race
}

fn is_the_same(seen: &Violation, claimed: &Violation) -> bool {
    seen.property == claimed.property && (seen.loc == claimed.loc || !has_place(claimed.property))
}

/// Engines only find that threads wait for ever, or race; the replay says which threads, and where. It also says which
/// step breaks a condition on states or runs, because it looks at the state after each.
fn has_place(property: Property) -> bool {
    !property.is_of_runs() && !matches!(property, Property::Deadlock | Property::Race | Property::Invariant)
}
