//! Globs over point names: the one parser of `list`, `run --only`, `compare --only` and `plot`.

use crate::Point;

/// One pattern. `*` stands for any text, `?` for one character. A glob selects a point when it matches
/// the whole point text or the probe id alone, so `mem.*` takes every memory point and
/// `mem.latency{*pages=4k}` some of one probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(String);

impl Glob {
    /// The pattern as given.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Does it select `point`?
    pub fn selects(&self, point: &Point) -> bool {
        matches(&self.0, &point.to_string()) || matches(&self.0, &point.probe)
    }

    /// Could it select some point of the probe `id`?
    pub fn may_select(&self, id: &str) -> bool {
        matches(self.probe(), id)
    }

    /// Does it ask for parameters and not for probes alone?
    pub fn names_parameters(&self) -> bool {
        self.0.contains('{')
    }

    /// What it says of the probe's id.
    fn probe(&self) -> &str {
        self.0.split('{').next().unwrap_or(&self.0)
    }

    /// Says that it selects nothing, with the closest of `ids` where its probe may be misspelled.
    pub fn selects_nothing<'a>(&self, ids: impl Iterator<Item = &'a str>) -> String {
        let known: Vec<&str> = ids.collect();
        let probe = self.probe();
        if known.iter().any(|id| matches(probe, id)) {
            return format!("'{}' selects nothing", self.0);
        }
        let near = known.iter().map(|id| (distance(probe, id), *id)).min();
        match near.filter(|(apart, _)| *apart <= TYPOS.min(probe.len() / 3)) {
            Some((_, id)) => format!("'{}' selects nothing; did you mean {id}?", self.0),
            None => format!("'{}' selects nothing", self.0),
        }
    }
}

/// Letters in which a misspelled name may differ: a swap of two is two, and a letter more.
const TYPOS: usize = 3;

/// Letters to replace, add or leave out from one text to the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A comma-separated list of globs; an empty list selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Globs(Vec<Glob>);

impl Globs {
    /// Parses the list. A comma inside braces belongs to the point, not to the list.
    pub fn parse(text: &str) -> Self {
        let given = split(text).into_iter().filter(|g| !g.is_empty());
        Globs(given.map(|g| Glob(g.to_owned())).collect())
    }

    /// Reads the list as a user typed it, where an empty pattern is a mistake.
    ///
    /// # Errors
    /// A sentence that says which pattern is empty or has a brace too many or too few.
    pub fn typed(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err(
                "an empty pattern selects nothing; leave it out to select everything".into(),
            );
        }
        for glob in split(text) {
            if glob.is_empty() {
                return Err(format!("'{text}' has an empty pattern between its commas"));
            }
            let count = |brace| glob.matches(brace).count();
            let closed = count('{') == 0 || glob.ends_with(['}', '*']);
            if count('{') > 1 || count('}') > count('{') || !closed {
                return Err(format!(
                    "'{glob}' is no pattern: braces hold a point's parameters, as in mem.latency{{*pages=4k}}"
                ));
            }
        }
        Ok(Globs::parse(text))
    }

    /// Its patterns, in the order given.
    pub fn each(&self) -> &[Glob] {
        &self.0
    }

    /// True when no glob was given, which selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the list selects `point`. An empty list selects all.
    pub fn selects(&self, point: &Point) -> bool {
        self.is_empty() || self.0.iter().any(|g| g.selects(point))
    }

    /// True if the list could select some point of the probe `id`.
    pub fn may_select(&self, id: &str) -> bool {
        self.is_empty() || self.0.iter().any(|g| g.may_select(id))
    }

    /// The first pattern that selects none of `points`.
    pub fn idle<'a>(&self, points: impl Iterator<Item = &'a Point> + Clone) -> Option<&Glob> {
        let idle = |g: &&Glob| !points.clone().any(|point| g.selects(point));
        self.0.iter().find(idle)
    }
}

/// The parts of a comma-separated list, without the blanks around them; braces hold commas together.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0u32;
    let comma = |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(comma).map(str::trim).collect()
}

/// True if `glob` matches the whole of `text`. Linear backtracking over the last `*`.
fn matches(glob: &str, text: &str) -> bool {
    let glob: Vec<char> = glob.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut g, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if g < glob.len() && glob[g] == '*' {
            star = Some((g, t));
            g += 1;
        } else if g < glob.len() && (glob[g] == '?' || glob[g] == text[t]) {
            g += 1;
            t += 1;
        } else if let Some((star_g, star_t)) = star {
            star = Some((star_g, star_t + 1));
            g = star_g + 1;
            t = star_t + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_by_point_or_probe() {
        let point: Point = "mem.latency{size=1MiB,pages=4k}".parse().unwrap();
        for yes in [
            "",
            "mem.*",
            "mem.latency",
            "*",
            "cpu.*,mem.*",
            "mem.latency{*pages=4k}",
            "mem.latency{size=1MiB,*}",
        ] {
            assert!(Globs::parse(yes).selects(&point), "{yes}");
        }
        for no in ["cpu.*", "mem.latency{*pages=thp}", "mem", "mem.?"] {
            assert!(!Globs::parse(no).selects(&point), "{no}");
        }
        assert!(Globs::parse("mem.lat*{size=1KiB}").may_select("mem.latency"));
    }

    #[test]
    fn a_comma_in_braces_does_not_part() {
        let globs = Globs::typed("mem.latency{size=1MiB,pages=4k}, os.*").unwrap();
        let texts: Vec<&str> = globs.each().iter().map(Glob::text).collect();
        assert_eq!(texts, ["mem.latency{size=1MiB,pages=4k}", "os.*"]);
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        for bad in [
            "",
            " ",
            "os.*,",
            ",",
            "os.*,,ctx.*",
            "mem.latency{size=1MiB",
            "a}",
            "a{b}{c}",
        ] {
            assert!(Globs::typed(bad).is_err(), "{bad}");
        }
        for good in ["mem.latency{size=1*", "*", "mem.latency{*}", "mem.lat?ncy"] {
            assert!(Globs::typed(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn a_misspelled_probe_is_recognized() {
        let ids = ["os.null_call", "os.read", "mem.latency"];
        let said = |glob: &str| Globs::parse(glob).0[0].selects_nothing(ids.into_iter());
        assert_eq!(
            said("os.nul_call"),
            "'os.nul_call' selects nothing; did you mean os.null_call?"
        );
        assert!(said("mem.latancy{size=1MiB}").contains("did you mean mem.latency?"));
        for known_or_far in ["nosuch.point", "x", "mem.latency{size=3MiB}"] {
            assert!(
                !said(known_or_far).contains("did you mean"),
                "{known_or_far}"
            );
        }
    }

    #[test]
    fn a_pattern_that_selects_none_is_found() {
        let points: Vec<Point> = ["os.read", "ctx.ring"].map(|p| p.parse().unwrap()).into();
        let idle = |text: &str| Globs::parse(text).idle(points.iter()).map(|g| g.0.clone());
        assert_eq!(idle("os.*,nosuch.point").as_deref(), Some("nosuch.point"));
        assert_eq!(idle("os.*,ctx.ring"), None);
        assert_eq!(idle(""), None);
    }
}
