//! Names of rows as parts of point ids.

/// `text` in lower case letters and digits, everything else as single `_` between them.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len().min(80));
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
        // A longer name is no name; its row keeps the whole as its title.
        if slug.len() >= 80 {
            break;
        }
    }
    while slug.ends_with('_') {
        slug.pop();
    }
    if slug.is_empty() {
        slug.push_str("unnamed");
    }
    slug
}

/// `text` as the value of a parameter: what a point's text cannot hold becomes `_`.
pub(crate) fn parameter(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-+/:%*".contains(c);
    let text = text.trim();
    text.chars()
        .take(80)
        .map(|c| if plain(c) { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        assert_eq!(
            slug("Dc: sqrt(2) to 99 decimal places"),
            "dc_sqrt_2_to_99_decimal_places"
        );
        assert_eq!(slug(" 2p/0K ctxsw "), "2p_0k_ctxsw");
        assert_eq!(slug("***"), "unnamed");
        assert_eq!(parameter("a b{c},d=1.5"), "a_b_c__d_1.5");
    }
}
