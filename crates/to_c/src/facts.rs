//! What is known of a bounded program before it is printed: computed once, for any number of rounds.

use selvedge_analyze::points::{self, Points};
use selvedge_analyze::{Interference, PointsTo, Reductions};
use selvedge_bound::Bounded;
use selvedge_program::Properties;

pub struct Facts<'b> {
    pub bounded: &'b Bounded<'b>,
    pub points_to: PointsTo,
    pub interference: Interference,
    /// By thread: where it may be interrupted.
    pub points: Vec<Points>,
    /// In which threads take their turns within a round.
    pub turns: Vec<usize>,
    pub properties: Properties,
}

impl<'b> Facts<'b> {
    pub fn new(bounded: &'b Bounded<'b>, properties: Properties) -> Facts<'b> {
        let points_to = PointsTo::new(bounded);
        let interference = Interference::new(bounded, &points_to, Reductions::ALL.checking(properties));
        let points = Points::of_all(bounded, &interference);
        Facts { bounded, points_to, interference, points, turns: points::turns(bounded), properties }
    }
}
