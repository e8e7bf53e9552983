//! All facts about a bounded program that engines need, computed once.

use crate::intervals::{Intervals, Known, Rounds};
use crate::points::{self, Points};
use crate::{Interference, PointsTo, Reductions};
use selvedge_bound::Bounded;
use selvedge_program::Properties;

pub struct Facts<'b> {
    pub bounded: &'b Bounded<'b>,
    pub properties: Properties,
    pub points_to: PointsTo,
    pub interference: Interference,
    /// For each thread the points at which it may be interrupted.
    pub points: Vec<Points>,
    /// The order in which threads take their turns within a round.
    pub turns: Vec<usize>,
}

impl<'b> Facts<'b> {
    pub fn new(bounded: &'b Bounded<'b>, properties: Properties) -> Facts<'b> {
        Facts::with(bounded, properties, Reductions::ALL)
    }

    /// Only by these arguments.
    pub fn with(bounded: &'b Bounded<'b>, properties: Properties, reductions: Reductions) -> Facts<'b> {
        let points_to = PointsTo::new(bounded);
        let interference = Interference::new(bounded, &points_to, reductions.checking(properties));
        let points = Points::of_all(bounded, &interference);
        Facts { bounded, properties, points_to, interference, points, turns: points::turns(bounded) }
    }

    /// The ranges of values, turn by turn.
    pub fn rounds(&self) -> Rounds<'_> {
        Rounds::new(self.bounded, &self.points_to, &self.interference, &self.points)
    }

    /// Like [`Facts::rounds`], with the values that cells may hold known from elsewhere.
    pub fn rounds_within<'a>(&'a self, known: Known<'a>) -> Rounds<'a> {
        Rounds::with_cells(self.bounded, &self.points_to, &self.interference, &self.points, known)
    }

    /// The ranges of values in a number of rounds.
    pub fn intervals(&self, rounds: u32) -> Intervals {
        Intervals::new(self.bounded, &self.points_to, &self.interference, &self.points, rounds)
    }
}
