//! The colors and strokes of drawings.

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white, for paper.
    Light,
    /// Light on nearly black.
    Dark,
}

/// Colors of series.
pub(crate) const SERIES: usize = 8;

/// Each color with its light and its dark value. Text keeps a contrast of 4.5 to the page and lines
/// one of 3, as WCAG 2 AA asks; a test computes it.
pub(crate) const COLORS: [(&str, &str, &str); 8 + SERIES] = [
    ("page", "#ffffff", "#14181d"),
    ("ink", "#1b1f24", "#e8ebef"),
    ("dim", "#57606a", "#a9b3be"),
    ("grid", "#e3e6ea", "#2f3740"),
    ("card", "#f5f7f9", "#1c2229"),
    ("edge", "#838c96", "#77828e"),
    ("bad", "#b3261e", "#ff9a90"),
    ("good", "#17703c", "#6fd9a3"),
    ("c0", "#0b62b8", "#6db3ff"),
    ("c1", "#b84a00", "#ffab66"),
    ("c2", "#17703c", "#5fd39a"),
    ("c3", "#7d34ab", "#cfa6ff"),
    ("c4", "#b3186b", "#ff8fc4"),
    ("c5", "#6b5b00", "#e2cf5a"),
    ("c6", "#00697a", "#5fd3df"),
    ("c7", "#555c66", "#b4bcc6"),
];

/// Strokes of kinds of curves, the first unbroken.
const DASHES: [&str; 4] = ["none", "7 4", "2 3", "9 3 2 3"];

/// The rules of the classes that drawings use; `color` says what stands for the color of a name.
pub(crate) fn rules(color: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rule = |selector: &str, what: &str| {
        out.push_str(&format!("{selector}{{{what}}}\n"));
    };
    rule(".t", &format!("fill:{};font-size:12px", color("ink")));
    rule(".s", &format!("fill:{};font-size:11px", color("dim")));
    rule(
        ".h",
        &format!("fill:{};font-size:15px;font-weight:bold", color("ink")),
    );
    rule(".on", &format!("fill:{};font-size:11px", color("page")));
    rule(".bg", &format!("fill:{}", color("page")));
    rule(".zebra", &format!("fill:{}", color("card")));
    rule(".g", &format!("stroke:{};stroke-width:1", color("grid")));
    rule(".a", &format!("stroke:{};stroke-width:1", color("edge")));
    rule(".m", &format!("fill:{};fill-opacity:0.16", color("edge")));
    rule(".l", "fill:none;stroke-width:2");
    rule(".v", "fill:none;stroke-width:1;stroke-opacity:0.5");
    rule(".w", "fill:none;stroke-width:2.5");
    rule(".b", "fill-opacity:0.16;stroke:none");
    rule(".o", &format!("fill:{};stroke-width:1.5", color("page")));
    rule(".k", "fill:none;stroke-width:1.2;stroke-opacity:0.55");
    for (name, selector) in [("bad", "bad"), ("good", "good"), ("dim", "open")] {
        rule(&format!(".s{selector}"), &format!("stroke:{}", color(name)));
        rule(&format!(".f{selector}"), &format!("fill:{}", color(name)));
    }
    for i in 0..SERIES {
        let value = color(&format!("c{i}"));
        rule(&format!(".c{i}"), &format!("stroke:{value}"));
        rule(&format!(".f{i}"), &format!("fill:{value}"));
    }
    for (i, dash) in DASHES.iter().enumerate().skip(1) {
        rule(&format!(".d{i}"), &format!("stroke-dasharray:{dash}"));
    }
    out
}

impl Theme {
    /// The color of a name in this theme.
    pub(crate) fn color(self, name: &str) -> String {
        let found = COLORS.iter().find(|(n, ..)| *n == name);
        let (light, dark) =
            found.map_or(("#000000", "#ffffff"), |(_, light, dark)| (*light, *dark));
        match self {
            Theme::Light => light.to_owned(),
            Theme::Dark => dark.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance by WCAG 2.
    fn luminance(color: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_lines_stand_out_from_the_page() {
        for theme in [Theme::Light, Theme::Dark] {
            for ground in ["page", "card"] {
                for (name, ..) in COLORS {
                    let wanted = match name {
                        "page" | "card" | "grid" => continue,
                        "edge" => 3.0,
                        // Colors of series are used for names too.
                        _ => 4.5,
                    };
                    let is = contrast(&theme.color(name), &theme.color(ground));
                    assert!(is >= wanted, "{theme:?} {name} on {ground}: {is:.2}");
                }
            }
        }
    }
}
