//! What points are called in charts: as their source does, with what tells them apart.

use std::collections::{HashMap, HashSet};

use whyslow_model::Point;

/// Titles that more than one point has.
#[derive(Debug)]
pub(super) struct Names<'a>(HashSet<&'a str>);

impl<'a> Names<'a> {
    /// Of some points with the titles that their source gives.
    pub(super) fn of(points: impl Iterator<Item = (&'a Point, Option<&'a str>)>) -> Names<'a> {
        let mut first: HashMap<&str, &Point> = HashMap::new();
        let mut shared = HashSet::new();
        for (point, title) in points {
            if let Some(title) = title
                && *first.entry(title).or_insert(point) != point
            {
                shared.insert(title);
            }
        }
        Names(shared)
    }

    /// The title, with the point's parameters where others have it too; without one, the point.
    pub(super) fn name(&self, point: &Point, title: Option<&str>) -> String {
        let Some(title) = title else {
            return point.to_string();
        };
        let set = point.params.iter().filter(|(_, value)| !value.is_empty());
        let params: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
        if self.0.contains(title) && !params.is_empty() {
            format!("{title} ({})", params.join(", "))
        } else {
            title.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_titles_need_their_parameters() {
        let points: Vec<Point> = ["t.make{flags=-j2}", "t.make{flags=-j3}", "t.sieve{n=1}"]
            .map(|text| text.parse().unwrap())
            .into();
        let titles = ["make", "make", "sieve"];
        let names = Names::of(points.iter().zip(titles.map(Some)));
        assert_eq!(names.name(&points[0], Some("make")), "make (flags=-j2)");
        assert_eq!(names.name(&points[2], Some("sieve")), "sieve");
        assert_eq!(names.name(&points[2], None), "t.sieve{n=1}");
    }
}
