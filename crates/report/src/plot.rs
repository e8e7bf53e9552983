//! The expected time to find a bug over the number of cores, as SVG: the paper's Fig. 6.
//!
//! Both axes are logarithmic. A circle marks the point where a bug is found with probability 0.95, a square that for
//! 0.99.

use selvedge_program::instances::{Expected, Record, Sample};
use std::collections::BTreeSet;
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 60.0;
/// The most cores, as in the paper.
const CORES: u64 = 2000;
/// The colours of curves, chosen to be distinguishable with colour vision deficiency (Okabe and Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// One curve.
struct Curve {
    name: String,
    colour: &'static str,
    points: Vec<Expected>,
    /// The points for 0.95 and 0.99.
    marks: [Expected; 2],
}

/// A logarithmic axis from one power of ten to another.
struct Axis {
    low: i32,
    high: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let logs: Vec<f64> = values.map(|value| value.max(1e-4).log10()).collect();
        let low = logs.iter().copied().fold(f64::INFINITY, f64::min).floor() as i32;
        let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil() as i32;
        Axis { low, high: high.max(low + 1), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.max(1e-4).log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.low..=self.high).map(|exponent| 10f64.powi(exponent))
    }
}

/// A curve for each tile size that has a bug; without one, a page that says so.
pub fn svg(title: &str, records: &[Record]) -> String {
    let curves = curves(records);
    let all = || curves.iter().flat_map(|curve| curve.points.iter().chain(&curve.marks));
    let mut page = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    text(&mut page, (LEFT, 26.0), "start", "font-size=\"15\" font-weight=\"bold\"", title);
    if curves.is_empty() {
        text(&mut page, (WIDTH / 2.0, HEIGHT / 2.0), "middle", "", "no instance had a bug");
        page.push_str("</svg>\n");
        return page;
    }
    let cores = Axis::new(all().map(|point| point.cores as f64), LEFT, WIDTH - RIGHT);
    let seconds = Axis::new(all().map(|point| point.seconds), HEIGHT - BOTTOM, TOP);
    grid(&mut page, &cores, &seconds);
    for (number, curve) in curves.iter().enumerate() {
        draw(&mut page, curve, &cores, &seconds);
        let y = TOP + 18.0 + 17.0 * number as f64;
        let x = WIDTH - RIGHT - 12.0;
        text(&mut page, (x, y), "end", &format!("fill=\"{}\"", curve.colour), &curve.name);
    }
    page.push_str("</svg>\n");
    page
}

fn curves(records: &[Record]) -> Vec<Curve> {
    let sizes: BTreeSet<usize> = records.iter().map(|record| record.tile_size).collect();
    let samples = sizes.into_iter().filter_map(|size| Some((size, Sample::of(records, size)?)));
    let curve = |((size, sample), colour): ((usize, Sample), &&'static str)| {
        let marks = [0.95, 0.99].map(|probability| sample.for_probability(probability));
        let tiles = if size == 0 { "tiles given by hand".to_string() } else { format!("tile size {size}") };
        let name = format!("{tiles}: {:.1} % of instances buggy", 100.0 * sample.buggy());
        Curve { name, colour, points: sample.curve(CORES), marks }
    };
    samples.zip(COLOURS.iter().cycle()).map(curve).collect()
}

fn grid(page: &mut String, cores: &Axis, seconds: &Axis) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for value in cores.ticks() {
        let x = cores.at(value);
        line(page, (x, TOP), (x, bottom), "#ddd");
        text(page, (x, bottom + 18.0), "middle", "", &number(value));
    }
    for value in seconds.ticks() {
        let y = seconds.at(value);
        line(page, (LEFT, y), (right, y), "#ddd");
        text(page, (LEFT - 8.0, y + 4.0), "end", "", &number(value));
    }
    line(page, (LEFT, bottom), (right, bottom), "#222");
    line(page, (LEFT, TOP), (LEFT, bottom), "#222");
    text(page, ((LEFT + right) / 2.0, HEIGHT - 18.0), "middle", "", "cores (○ finds a bug with 0.95, □ with 0.99)");
    let turned = format!("transform=\"rotate(-90 18 {})\"", (TOP + bottom) / 2.0);
    text(page, (18.0, (TOP + bottom) / 2.0), "middle", &turned, "expected seconds to the first bug");
}

fn draw(page: &mut String, curve: &Curve, cores: &Axis, seconds: &Axis) {
    let place = |point: &Expected| (cores.at(point.cores as f64), seconds.at(point.seconds));
    let points: Vec<String> = curve.points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let colour = curve.colour;
    let points = points.join(" ");
    put(page, format_args!("<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"));
    let [(x, y), (u, v)] = [place(&curve.marks[0]), place(&curve.marks[1])];
    let look = format!("fill=\"white\" stroke=\"{colour}\" stroke-width=\"2\"");
    put(page, format_args!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\" {look}/>", u - 4.5, v - 4.5));
    put(page, format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" {look}/>"));
}

fn line(page: &mut String, (x, y): (f64, f64), (u, v): (f64, f64), colour: &str) {
    put(page, format_args!("<path d=\"M{x:.1} {y:.1}L{u:.1} {v:.1}\" stroke=\"{colour}\" fill=\"none\"/>"));
}

fn text(page: &mut String, (x, y): (f64, f64), anchor: &str, attributes: &str, what: &str) {
    let what = what.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let attributes = if attributes.is_empty() { String::new() } else { format!(" {attributes}") };
    put(page, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{attributes}>{what}</text>"));
}

fn put(page: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(page, "{element}").expect("a string takes everything");
}

fn number(value: f64) -> String {
    if value >= 1.0 { format!("{value:.0}") } else { format!("{value}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::instances::Ended;

    fn records(buggy: u128) -> Vec<Record> {
        let record = |number: u128| Record {
            tile_size: 12,
            instance: selvedge_program::instances::Name::whole(number),
            ended: if number < buggy { Ended::Buggy } else { Ended::Safe },
            seconds: 1.0 + number as f64,
            cpu_seconds: None,
            before: 0,
            schedule: None,
        };
        (0..20).map(record).collect()
    }

    #[test]
    fn a_curve_with_its_two_marks() {
        let page = svg("a < b", &records(4));
        assert_eq!(page.matches("<polyline").count(), 1);
        assert_eq!((page.matches("<circle").count(), page.matches("stroke-width=\"2\"/>").count()), (1, 3));
        assert!(page.contains("tile size 12: 20.0 % of instances buggy") && page.contains("a &lt; b"), "{page}");
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    }

    #[test]
    fn without_a_bug_it_says_so() {
        assert!(svg("safe", &records(0)).contains("no instance had a bug"));
    }
}
