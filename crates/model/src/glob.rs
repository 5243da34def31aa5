//! Globs over point names, for `--only` and `list`.

use crate::Point;

/// A comma-separated list of globs. `*` matches any text, `?` one character. A glob selects a point
/// when it matches the whole point text or only the probe id, so `mem.*` selects every memory point
/// and `mem.latency{*pages=4k}` some of one probe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Globs(Vec<String>);

impl Globs {
    /// Parses the list. A comma inside braces belongs to the point, not to the list.
    pub fn parse(text: &str) -> Self {
        let mut globs = vec![String::new()];
        let mut depth = 0u32;
        for c in text.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if c == ',' && depth == 0 {
                globs.push(String::new());
            } else if let Some(last) = globs.last_mut() {
                last.push(c);
            }
        }
        globs.retain(|g| !g.trim().is_empty());
        Globs(globs.into_iter().map(|g| g.trim().to_owned()).collect())
    }

    /// True when no glob was given, which selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the list selects `point`. An empty list selects all.
    pub fn selects(&self, point: &Point) -> bool {
        let text = point.to_string();
        self.is_empty()
            || self
                .0
                .iter()
                .any(|g| matches(g, &text) || matches(g, &point.probe))
    }

    /// True if the list could select some point of the probe `id`.
    pub fn may_select(&self, id: &str) -> bool {
        self.is_empty()
            || self
                .0
                .iter()
                .any(|g| matches(g.split('{').next().unwrap_or(g), id))
    }
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
}
