use selvedge_engines::explicit::Explicit;
use selvedge_engines::{Control, Engine, Task};
use selvedge_generate::*;
#[test]
fn stats() {
    let mut rows = vec![];
    for seed in 0..200 {
        let s = source(seed, Features::ALL);
        let p = s.program();
        let f = Explicit { no_reduction: true }.check(&p, &Task::default(), &Control::default());
        let r = Explicit { no_reduction: false }.check(&p, &Task::default(), &Control::default());
        let k = format!("{:?}", f.finding);
        rows.push((f.statistics.states, f.statistics.seconds, r.statistics.states, r.statistics.seconds, s.size(), f.statistics.preemptions, k.chars().take(60).collect::<String>()));
    }
    rows.sort_by(|a,b| a.0.cmp(&b.0));
    let n = rows.iter().filter(|r| r.6.starts_with("Viol")).count();
    println!("violations {n}, full {:.2}s reduced {:.2}s", rows.iter().map(|r| r.1).sum::<f64>(), rows.iter().map(|r| r.3).sum::<f64>());
    for i in (0..200).step_by(10) { println!("{:?}", rows[i]); }
    println!("{:?}", rows[199]);
    for pr in ["Assertion","Deadlock","Memory","GaveUp","NoneWithin"] { println!("{pr} {}", rows.iter().filter(|r| r.6.contains(pr)).count()); }
    let mut h = [0; 6]; for r in rows.iter().filter(|r| r.6.starts_with("Viol")) { h[r.5.unwrap_or(0).min(5) as usize] += 1; } println!("{h:?}");
}
