//! The SVG text of a drawing in the making.

use std::fmt::Write;

use whyslow_model::text::is_hidden;

use super::{Glyph, Key, Place, Tip, glyph, rules, text_width};

/// Longest text in a drawing; longer ones are cut.
const LONGEST: usize = 300;

/// Where a text stands to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The shape of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Filled.
    Dot,
    /// Larger, filled.
    Big,
    /// An open circle.
    Ring,
    /// Points up, filled.
    Up,
    /// Points up, open.
    OpenUp,
    /// A short upright line.
    Tick,
}

/// A drawing in the making. `y` is where the next part begins.
pub(super) struct Svg {
    out: String,
    title: String,
    place: Place,
    pub(super) y: f64,
}

impl Svg {
    pub(super) fn new(title: &str, place: Place) -> Svg {
        Svg {
            out: String::new(),
            title: title.to_owned(),
            place,
            y: 8.0,
        }
    }

    /// Title and legend, for a file.
    pub(super) fn header(&mut self, title: &str, legend: &[Key]) {
        let width = self.place.width();
        self.y += 18.0;
        let title = super::fitted(title, 15.0, width - 24.0);
        self.text("h", (12.0, self.y), Anchor::Start, &title);
        let (mut x, mut y) = (12.0, self.y + 22.0);
        for key in legend {
            let wide = 30.0 + text_width(&key.name, 12.0) + 18.0;
            if x + wide > width && x > 12.0 {
                (x, y) = (12.0, y + 18.0);
            }
            let stroke = format!("l c{} d{}", key.color, key.dash);
            self.line(&stroke, (x, y - 4.0), (x + 24.0, y - 4.0));
            let shape = sign(
                glyph(key.color),
                &format!("f{}", key.color),
                (x + 12.0, y - 4.0),
                3.6,
                "",
            );
            self.put(format_args!("{shape}"));
            self.text("t", (x + 30.0, y), Anchor::Start, &key.name);
            x += wide;
        }
        self.y = if legend.is_empty() { self.y } else { y } + 14.0;
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (at(from.0), at(from.1), at(to.0), at(to.1));
        self.put(format_args!(
            r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#
        ));
    }

    /// A line through places.
    pub(super) fn polyline(&mut self, class: &str, places: &[(f64, f64)]) {
        let places = list(places);
        self.put(format_args!(
            r#"<polyline class="{class}" points="{places}"/>"#
        ));
    }

    /// A filled shape through places.
    pub(super) fn polygon(&mut self, class: &str, places: &[(f64, f64)]) {
        let places = list(places);
        self.put(format_args!(
            r#"<polygon class="{class}" points="{places}"/>"#
        ));
    }

    /// A filled rectangle from its left upper corner; `more` are further attributes.
    pub(super) fn rect(&mut self, class: &str, from: (f64, f64), size: (f64, f64), more: &str) {
        let (x, y, w, h) = (at(from.0), at(from.1), at(size.0), at(size.1));
        self.put(format_args!(
            r#"<rect class="{class}" x="{x}" y="{y}" width="{w}" height="{h}"{more}/>"#
        ));
    }

    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let (x, y, text) = (at(x), at(y), escaped(text, LONGEST));
        self.put(format_args!(
            r#"<text class="{class}" x="{x}" y="{y}"{anchor}>{text}</text>"#
        ));
    }

    /// A mark that says `tip` when it is pointed at, of its series' shape.
    pub(super) fn mark(&mut self, shape: Shape, color: &str, (x, y): (f64, f64), tip: &Tip) {
        let tip = self.tip(tip);
        let (cx, cy) = (at(x), at(y));
        let series = color.parse().map_or(Glyph::Dot, glyph);
        match shape {
            Shape::Dot | Shape::Big => {
                let r = if shape == Shape::Dot { 2.8 } else { 4.5 };
                let mark = sign(series, &format!("f{color}"), (x, y), r, &tip);
                self.put(format_args!("{mark}"));
            }
            Shape::Ring => {
                let mark = sign(series, &format!("o {}", stroke(color)), (x, y), 4.0, &tip);
                self.put(format_args!("{mark}"));
            }
            Shape::Up | Shape::OpenUp => {
                let class = match shape {
                    Shape::Up => format!("f{color}"),
                    _ => format!("o {}", stroke(color)),
                };
                let (left, right, foot) = (at(x - 4.5), at(x + 4.5), at(y + 8.0));
                self.put(format_args!(
                    r#"<polygon class="{class}" points="{cx},{cy} {left},{foot} {right},{foot}"{tip}/>"#
                ));
            }
            Shape::Tick => {
                let (top, foot) = (at(y - 5.0), at(y + 5.0));
                self.put(format_args!(
                    r#"<line class="k {}" x1="{cx}" y1="{top}" x2="{cx}" y2="{foot}"{tip}/>"#,
                    stroke(color)
                ));
            }
        }
    }

    /// The shape of a series on its own color, as its key has it.
    pub(super) fn stamp(&mut self, color: usize, place: (f64, f64)) {
        let mark = sign(glyph(color), "on", place, 3.4, "");
        self.put(format_args!("{mark}"));
    }

    /// A rectangle that says `tip` when it is pointed at.
    pub(super) fn cell(
        &mut self,
        class: &str,
        from: (f64, f64),
        size: (f64, f64),
        opacity: f64,
        tip: &Tip,
    ) {
        let more = format!(r#" fill-opacity="{}"{}"#, at(opacity), self.tip(tip));
        self.rect(class, from, size, &more);
    }

    /// What follows belongs to a series, which can be switched off.
    pub(super) fn open(&mut self, series: usize) {
        self.put(format_args!(r#"<g data-s="{series}">"#));
    }

    pub(super) fn close(&mut self) {
        self.put(format_args!("</g>"));
    }

    fn tip(&self, tip: &Tip) -> String {
        match self.place {
            // A file cannot show it, other than by its title, which would double its size.
            Place::File(..) | Place::Mini => String::new(),
            // Said once: the page's script gives it to the mark of the other drawing.
            Place::Narrow => " data-n".to_owned(),
            Place::Wide => {
                let text = escaped(&tip.text, LONGEST);
                let point = match tip.point.is_empty() {
                    true => String::new(),
                    false => format!(r#" data-p="{}""#, escaped(&tip.point, LONGEST)),
                };
                format!(r#" data-t="{text}"{point}"#)
            }
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.out.write_fmt(text);
    }

    /// The drawing, as high as it has become.
    pub(super) fn finish(self) -> String {
        let (w, h) = (at(self.place.width()), at(self.y.ceil() + 4.0));
        let (title, content) = (escaped(&self.title, LONGEST), self.out);
        match self.place {
            Place::File(theme, _) => {
                let rules = rules(|name| theme.color(name));
                format!(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
                     viewBox=\"0 0 {w} {h}\" font-family=\"system-ui, sans-serif\">\n\
                     <title>{title}</title>\n<style>\n{rules}</style>\n\
                     <rect class=\"bg\" width=\"{w}\" height=\"{h}\"/>\n{content}\n</svg>\n"
                )
            }
            Place::Mini => format!(
                r#"<svg class="mini" viewBox="0 0 {w} {h}" role="img" aria-label="{title}">{content}</svg>"#
            ),
            place => {
                let kind = if place == Place::Narrow {
                    "narrow"
                } else {
                    "wide"
                };
                format!(
                    r#"<svg class="chart {kind}" viewBox="0 0 {w} {h}" role="img" tabindex="0" aria-label="{title}">{content}</svg>"#
                )
            }
        }
    }
}

/// The element of a series' shape around a place, about `r` in radius; `more` are further attributes.
pub(crate) fn sign(shape: Glyph, class: &str, (x, y): (f64, f64), r: f64, more: &str) -> String {
    let corners = |corners: &[(f64, f64)]| {
        let places = corners
            .iter()
            .map(|(across, down)| (x + across * r, y + down * r));
        let places: Vec<(f64, f64)> = places.collect();
        format!(
            r#"<polygon class="{class}" points="{}"{more}/>"#,
            list(&places)
        )
    };
    let rect = |half: (f64, f64)| {
        let (left, top) = (at(x - half.0 * r), at(y - half.1 * r));
        let (wide, high) = (at(2.0 * half.0 * r), at(2.0 * half.1 * r));
        format!(
            r#"<rect class="{class}" x="{left}" y="{top}" width="{wide}" height="{high}"{more}/>"#
        )
    };
    // Places around a plus, which a turn by an eighth makes a cross.
    const ARM: f64 = 0.42;
    const PLUS: [(f64, f64); 12] = [
        (-ARM, -1.3),
        (ARM, -1.3),
        (ARM, -ARM),
        (1.3, -ARM),
        (1.3, ARM),
        (ARM, ARM),
        (ARM, 1.3),
        (-ARM, 1.3),
        (-ARM, ARM),
        (-1.3, ARM),
        (-1.3, -ARM),
        (-ARM, -ARM),
    ];
    match shape {
        Glyph::Dot => format!(
            r#"<circle class="{class}" cx="{}" cy="{}" r="{r}"{more}/>"#,
            at(x),
            at(y)
        ),
        Glyph::Triangle => corners(&[(0.0, -1.3), (-1.2, 0.9), (1.2, 0.9)]),
        Glyph::TriangleDown => corners(&[(0.0, 1.3), (-1.2, -0.9), (1.2, -0.9)]),
        Glyph::Diamond => corners(&[(0.0, -1.4), (1.1, 0.0), (0.0, 1.4), (-1.1, 0.0)]),
        Glyph::Square => rect((0.9, 0.9)),
        Glyph::Bar => rect((0.45, 1.35)),
        Glyph::Plus => corners(&PLUS),
        Glyph::Cross => {
            let turned = PLUS.map(|(across, down)| {
                let half = std::f64::consts::FRAC_1_SQRT_2;
                ((across - down) * half, (across + down) * half)
            });
            corners(&turned)
        }
    }
}

/// The class of a stroke in the color of a name or number.
fn stroke(color: &str) -> String {
    if color.starts_with(|c: char| c.is_ascii_digit()) {
        format!("c{color}")
    } else {
        format!("s{color}")
    }
}

/// Places as an attribute lists them.
fn list(places: &[(f64, f64)]) -> String {
    let places = places.iter().map(|&(x, y)| format!("{},{}", at(x), at(y)));
    places.collect::<Vec<_>>().join(" ")
}

/// A place with no more digits than a screen shows.
fn at(value: f64) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// `text` with the characters that mean something in SVG and HTML written out, cut where it is too
/// long, and without hidden characters.
pub(crate) fn escaped(text: &str, longest: usize) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == longest {
            out.push('…');
            break;
        }
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if is_hidden(c) => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_only_text() {
        assert_eq!(
            escaped("<script>\"'&\u{7}\u{9b}\u{202e}", 99),
            "&lt;script&gt;&quot;&#39;&amp;???"
        );
        assert_eq!(escaped(&"x".repeat(10_000), 300).chars().count(), 301);
        assert_eq!(at(f64::NAN), "0");
        assert_eq!(at(1.25), "1.2");
        assert_eq!(at(3.0), "3");
    }
}
