//! A drawing as a picture: SVG to PNG.
//!
//! Text is set in a font that is built in, so that a picture is the same on every host and none loses
//! its words on a host without fonts.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// The name of the font.
const FONT: &str = "Hack";

/// Pixels that a picture may have: 400 MB of memory.
const MOST: f32 = 1e8;

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoPicture(String);

impl std::fmt::Display for NoPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the picture cannot be made: {}; an .svg file always can",
            self.0
        )
    }
}

impl std::error::Error for NoPicture {}

/// The picture.
pub(crate) fn png(svg: &str, scale: f32) -> Result<Vec<u8>, NoPicture> {
    let refused = |why: &dyn std::fmt::Display| NoPicture(why.to_string());
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_sans_serif_family(FONT);
    let options = Options {
        font_family: FONT.to_owned(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|e| refused(&e))?;
    let size = tree.size();
    let (wide, high) = (size.width() * scale, size.height() * scale);
    if wide * high > MOST {
        return Err(refused(&format!(
            "{wide:.0} by {high:.0} pixels are too many"
        )));
    }
    let mut pixels = Pixmap::new(wide.ceil() as u32, high.ceil() as u32)
        .ok_or_else(|| refused(&"it has no size"))?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(|e| refused(&e))
}
