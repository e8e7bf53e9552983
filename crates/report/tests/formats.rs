//! SARIF, JUnit's XML and GitHub's annotations.

mod runs;

use roxmltree::{Document, Node};
use runs::*;
use selvedge_program::{Properties, Property, Reason, Trace, Verdict, What};
use selvedge_report::suite::{Score, TaskResult};
use selvedge_report::{github, junit, sarif, svcomp, witness};
use serde_sarif::sarif::Sarif;
use std::collections::BTreeSet;
use std::time::UNIX_EPOCH;

fn logs() -> Vec<String> {
    let unknown = Verdict::Unknown(Reason::TimeLimit { seconds: 3 });
    let mut logs: Vec<String> =
        [lost_update(), deadlock(), circle(), long(), many_threads()].map(|run| report(run, sarif::log)).into();
    logs.extend([&Verdict::Safe, &unknown].map(|verdict| with_report(verdict, sarif::log)));
    logs
}

/// The types are made from the schema of the standard, and take nothing that it does not know.
#[test]
fn sarif_is_as_its_schema_says() {
    for log in logs() {
        let read: Sarif = serde_json::from_str(&log).unwrap_or_else(|error| panic!("{error}: {log}"));
        assert_eq!(read.runs.len(), 1);
    }
}

/// Rules of the standard that no schema says.
#[test]
fn sarif_keeps_the_rules_of_the_standard() {
    for log in logs() {
        let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        for result in run["results"].as_array().expect("results") {
            let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[rule]["id"], result["ruleId"]);
            let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("flows");
            let mut orders = Vec::new();
            for flow in flows {
                let own: Vec<u64> = flow["locations"]
                    .as_array()
                    .expect("locations")
                    .iter()
                    .filter_map(|location| location["executionOrder"].as_u64())
                    .collect();
                assert!(own.is_sorted() && !own.is_empty(), "{flow}");
                orders.extend(own);
            }
            orders.sort_unstable();
            assert_eq!(orders, (1..=orders.len() as u64).collect::<Vec<_>>());
            let ids: Vec<&str> = flows.iter().filter_map(|flow| flow["id"].as_str()).collect();
            assert_eq!(ids.len(), flows.len());
            for location in result["locations"].as_array().expect("locations") {
                let at = &location["physicalLocation"];
                assert!(at["region"]["startLine"].as_u64().is_some_and(|line| line > 0));
                assert_eq!(at["artifactLocation"]["uri"], "count.c");
            }
        }
    }
}

#[test]
fn a_lost_update_as_sarif() {
    insta::assert_snapshot!(report(lost_update(), sarif::log).replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn annotations() {
    insta::assert_snapshot!(report(lost_update(), github::annotations), @r"::error file=count.c,line=16,col=1,title=Selvedge%3A assertion::thread 0 (main): `count == 2` does not hold%0A- thread 1 (worker) read `count` as 0 at line 4 before thread 2 (worker) wrote 1 at line 4, which thread 1 (worker) then overwrote with 1 at line 4%0A- thread 0 (main) read `count` as 1 at line 16, which thread 1 (worker) had written at line 4");
    // The thread's last step outside of a harness that is nowhere on the disk.
    let mut of_harness = lost_update();
    (of_harness.at.file, of_harness.at.line) = ("harness.c".to_string(), 31);
    let told = report(of_harness, github::annotations);
    assert!(told.starts_with("::error file=count.c,line=16,"), "{told}");
    assert_eq!(with_report(&Verdict::Safe, github::annotations), "::notice title=Selvedge::safe\n");
    let unknown = Verdict::Unknown(Reason::TimeLimit { seconds: 3 });
    let told = "::warning file=count.c,title=Selvedge::unknown (time limit of 3 s)\n";
    assert_eq!(with_report(&unknown, github::annotations), told);
}

#[test]
fn test_cases() {
    insta::assert_snapshot!(report(long(), |report| junit::check(report, &mut sources())));
    let safe = with_report(&Verdict::Safe, |report| junit::check(report, &mut sources()));
    assert!(safe.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""), "{safe}");
    let unknown = Verdict::Unknown(Reason::TimeLimit { seconds: 3 });
    let unknown = with_report(&unknown, |report| junit::check(report, &mut sources()));
    assert!(
        unknown.contains("<error type=\"unknown\" message=\"VERDICT: unknown (time limit of 3 s)\"/>"),
        "{unknown}"
    );
}

#[test]
fn a_suite_as_test_cases() {
    let task = |name: &str, score: Score, detail: &str| TaskResult {
        set: "pthread".into(),
        name: name.into(),
        property: "unreach-call".into(),
        expected: Some(true),
        score,
        seconds: 1.25,
        states: 10,
        variables: 0,
        clauses: 0,
        answered_by: None,
        detail: detail.into(),
        remark: None,
    };
    insta::assert_snapshot!(junit::suite(&[
        task("a.i", Score::CorrectTrue, "VERDICT: safe"),
        task("b.i", Score::WrongFalse, "VERDICT: unsafe (assertion at b.i:3)"),
        task("c.i", Score::Unknown("time".into()), "VERDICT: unknown (time limit of 30 s)"),
        task("d.i", Score::Unknown("internal-error".into()), "a \"bug\" <of> ours & more\u{1b}"),
        task("e.i", Score::Skipped("no-overflow is not supported".into()), ""),
    ]));
}

/// A run with an input, and a function that returns.
fn with_input() -> Trace {
    let mut run = lost_update();
    let input = |source: &str, value: &str| What::Input { source: source.into(), value: value.into() };
    let enter = |function: &str| What::Enter { function: function.into(), arguments: Vec::new() };
    run.events.insert(0, event(0, 8, enter("main")));
    run.events.insert(4, event(1, 3, enter("worker")));
    run.events.insert(5, event(1, 3, input("__VERIFIER_nondet_int()", "-7")));
    run.events.insert(6, event(1, 3, input("uninitialised x", "9")));
    run.events.insert(8, event(2, 3, enter("worker")));
    run.events.push(event(0, 16, What::Leave { value: None }));
    run
}

fn data<'a>(node: &Node<'a, 'a>, key: &str) -> Option<&'a str> {
    node.children().find(|child| child.attribute("key") == Some(key)).and_then(|child| child.text())
}

/// The rules of the format for witnesses of concurrent programs.
#[test]
fn witnesses_keep_the_rules_of_their_format() {
    let text = report(with_input(), |report| witness::graphml(report, &mut sources(), UNIX_EPOCH)).expect("a witness");
    let document = Document::parse(&text).expect("XML");
    let named = |name: &'static str| document.descendants().filter(move |node| node.tag_name().name() == name);
    let keys: BTreeSet<&str> = named("key").filter_map(|key| key.attribute("id")).collect();
    for data in named("data") {
        assert!(keys.contains(data.attribute("key").expect("a key")), "{data:?}");
    }
    let graph = named("graph").next().expect("a graph");
    assert_eq!(data(&graph, "witness-type"), Some("violation_witness"));
    assert_eq!(data(&graph, "architecture"), Some("32bit"));
    assert_eq!(data(&graph, "creationtime"), Some("1970-01-01T00:00:00Z"));
    // `sha256sum count.c`
    let hash = data(&graph, "programhash").expect("a hash");
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    assert!(
        data(&graph, "specification")
            .is_some_and(|of| of.contains("CHECK( init(main()), LTL(G ! call(reach_error())) )"))
    );

    let nodes: Vec<&str> = named("node").filter_map(|node| node.attribute("id")).collect();
    assert_eq!(named("node").filter(|node| data(node, "entry") == Some("true")).count(), 1);
    assert_eq!(named("node").filter(|node| data(node, "violation") == Some("true")).count(), 1);
    let (mut known, mut entered) = (BTreeSet::from(["0"]), BTreeSet::new());
    for (number, edge) in named("edge").enumerate() {
        assert_eq!(edge.attribute("source"), Some(nodes[number]));
        assert_eq!(edge.attribute("target"), Some(nodes[number + 1]));
        let thread = data(&edge, "threadId").expect("every edge has a thread");
        assert!(known.contains(thread), "thread {thread} acts before it is created");
        match data(&edge, "enterFunction") {
            Some(function) => assert_eq!(function, if thread == "0" { "main" } else { "worker" }),
            None => assert!(entered.contains(thread), "thread {thread} is nowhere"),
        }
        entered.insert(thread);
        known.extend(data(&edge, "createThread"));
        assert_eq!(data(&edge, "assumption").is_some(), data(&edge, "assumption.resultfunction").is_some());
    }
    assert_eq!(nodes.len(), named("edge").count() + 1);
    let assumptions: Vec<&str> = named("edge").filter_map(|edge| data(&edge, "assumption")).collect();
    assert_eq!(assumptions, ["\\result == -7;"]);
}

#[test]
fn answers_for_the_competition() {
    let answer = |trace: Trace| report(trace, svcomp::line);
    assert_eq!(answer(lost_update()), "RESULT: false(unreach-call)\n");
    assert_eq!(answer(circle()), "RESULT: false(no-deadlock)\n");
    let memory = |text: &str| trace(Property::Memory, text, 4, Vec::new(), &["main"]);
    assert_eq!(answer(memory("reads freed memory")), "RESULT: false(valid-deref)\n");
    assert_eq!(answer(memory("frees `x` a second time")), "RESULT: false(valid-free)\n");
    let assumed = Trace { assumed: vec!["frob".to_string()], ..lost_update() };
    assert_eq!(answer(assumed), "RESULT: unknown (resting on the assumed result of frob)\n");
    assert_eq!(with_report(&Verdict::Safe, svcomp::line), "RESULT: true\n");
    let unknown = Verdict::Unknown(Reason::TimeLimit { seconds: 3 });
    assert_eq!(with_report(&unknown, svcomp::line), "RESULT: unknown (time limit of 3 s)\n");
    assert!(Properties::default().iter().any(|property| svcomp::formula(property).is_some()));
}
