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

/// The shape of a series' marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Glyph {
    Dot,
    Triangle,
    Square,
    Diamond,
    TriangleDown,
    Plus,
    Bar,
    Cross,
}

/// The shape of the series with that color. Each has its own: a drawing says the same without any color, on paper or to
/// eyes that see none.
pub(crate) fn glyph(color: usize) -> Glyph {
    const GLYPHS: [Glyph; SERIES] = [
        Glyph::Dot,
        Glyph::Triangle,
        Glyph::Square,
        Glyph::Diamond,
        Glyph::TriangleDown,
        Glyph::Plus,
        Glyph::Bar,
        Glyph::Cross,
    ];
    GLYPHS[color % SERIES]
}

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

    /// Red, green and blue in proportion to light.
    fn linear(color: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// Relative luminance by WCAG 2.
    fn luminance(color: &str) -> f64 {
        let [red, green, blue] = linear(color);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    type Matrix = [[f64; 3]; 3];

    fn times(matrix: &Matrix, [a, b, c]: [f64; 3]) -> [f64; 3] {
        matrix.map(|[x, y, z]| x * a + y * b + z * c)
    }

    /// What linear colors become for readers without cones for red or for green (Machado, Oliveira and Fernandes 2009,
    /// severity 1).
    const SEEN: [(&str, Matrix); 3] = [
        ("all", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
        ),
    ];

    /// CIE L*a*b* of a linear color of sRGB under D65.
    fn lab(color: [f64; 3]) -> [f64; 3] {
        const XYZ: Matrix = [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ];
        let f = |t: f64| {
            if t > 216.0 / 24389.0 {
                t.cbrt()
            } else {
                (24389.0 / 27.0 * t + 16.0) / 116.0
            }
        };
        let [x, y, z] = times(&XYZ, color);
        let [x, y, z] = [f(x / 0.95047), f(y), f(z / 1.08883)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn series_are_told_apart_without_color() {
        let shapes: std::collections::BTreeSet<Glyph> = (0..SERIES).map(glyph).collect();
        assert_eq!(shapes.len(), SERIES);
    }

    /// CIE 1976 differences that lines between marks keep: 2.3 is just noticeable side by side, and curves lie apart.
    const APART: f64 = 15.0;

    /// Most pages have two or three sides.
    #[test]
    fn lines_of_the_first_sides_are_told_apart_without_red_or_green() {
        for theme in [Theme::Light, Theme::Dark] {
            for (who, matrix) in &SEEN {
                let seen: Vec<[f64; 3]> = (0..3)
                    .map(|i| linear(&theme.color(&format!("c{i}"))))
                    .map(|color| lab(times(matrix, color).map(|v| v.clamp(0.0, 1.0))))
                    .collect();
                for i in 0..seen.len() {
                    for j in 0..i {
                        let squares: f64 = (0..3).map(|k| (seen[i][k] - seen[j][k]).powi(2)).sum();
                        let apart = squares.sqrt();
                        assert!(
                            apart >= APART,
                            "{theme:?}, {who}: c{i} and c{j} are {apart:.1} apart"
                        );
                    }
                }
            }
        }
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
