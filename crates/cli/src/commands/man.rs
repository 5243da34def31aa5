//! `whyslow man`: manual pages, made from the arguments as they are declared.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Command;

use crate::args::{Man, command, examples, says_exit_codes};
use crate::exit;
use crate::{file, output};

/// Prints a page, or writes all.
pub(crate) fn man(args: &Man) -> Result<()> {
    let mut root = command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.all {
        fs::create_dir_all(folder)
            .with_context(|| format!("--all: cannot make {}", folder.display()))?;
        return write_all(&root, "", folder);
    }
    let mut at = &root;
    for name in &args.path {
        let shown = |sub: &&Command| sub.get_name() == name && !sub.is_hide_set();
        let Some(sub) = at.get_subcommands().find(shown) else {
            bail!(
                "{}: no such command; `whyslow --help` lists them",
                args.path.join(" ")
            );
        };
        at = sub;
    }
    output::print(&page(at, &args.path.join(" "))?)
}

fn write_all(command: &Command, path: &str, folder: &Path) -> Result<()> {
    let name = clap_mangen::Man::new(command.clone()).get_filename();
    file::save(&folder.join(name), page(command, path)?.as_bytes())?;
    for sub in command.get_subcommands().filter(|s| !s.is_hide_set()) {
        let below = format!("{path} {}", sub.get_name());
        write_all(sub, below.trim_start(), folder)?;
    }
    Ok(())
}

/// The page of `command`, in roff.
fn page(command: &Command, path: &str) -> Result<String> {
    let man = clap_mangen::Man::new(command.clone())
        .source(concat!("whyslow ", env!("CARGO_PKG_VERSION")))
        .manual("User Commands");
    let mut text = Vec::new();
    sections(&man, command, &mut text)?;
    let mut text = String::from_utf8(text)?;
    let examples = examples(path);
    if !examples.is_empty() {
        text += ".SH EXAMPLES\n";
    }
    for (typed, meaning) in examples {
        text += &format!(".TP\n{}\n{}\n", plain(typed), plain(meaning));
    }
    if says_exit_codes(command) {
        text += ".SH \"EXIT STATUS\"\n";
        for (code, meaning) in exit::CODES {
            text += &format!(".TP\n{code}\n{}\n", plain(meaning));
        }
    }
    if !path.is_empty() {
        text += ".SH \"SEE ALSO\"\nwhyslow(1)\n";
    }
    Ok(in_ascii(&text))
}

/// Other signs by their numbers, which roff reads in every locale.
fn in_ascii(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c.is_ascii() {
            true => out.push(c),
            false => out += &format!("\\[u{:04X}]", u32::from(c)),
        }
        out
    })
}

fn sections(man: &clap_mangen::Man, command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        man.render_subcommands_section(text)?;
    }
    Ok(())
}

/// A line of text that roff shows as it is: a hyphen that can be copied, no escape, no request.
fn plain(line: &str) -> String {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-");
    match escaped.starts_with(['.', '\'']) {
        true => format!("\\&{escaped}"),
        false => escaped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_options_examples_and_codes() {
        let mut root = command();
        root.build();
        let compare = page(root.find_subcommand("compare").unwrap(), "compare").unwrap();
        for part in [
            ".TH whyslow-compare 1",
            "\\-\\-fail\\-on",
            ".SH EXAMPLES\n.TP\nwhyslow compare before.whyslow after.whyslow\n",
            ".SH \"EXIT STATUS\"\n.TP\n0\n",
            ".TP\n130\n",
        ] {
            assert!(compare.contains(part), "no {part:?} in {compare}");
        }
        let all = page(&root, "").unwrap();
        assert!(all.contains("whyslow\\-run(1)"), "{all}");
        assert!(!all.contains("__worker"), "{all}");
    }

    #[test]
    fn text_is_no_request_of_roff() {
        assert_eq!(plain(".x -a 'b\\c'"), "\\&.x \\-a 'b\\ec'");
        assert_eq!(plain("'x'"), "\\&'x'");
        assert_eq!(in_ascii("±3 %"), "\\[u00B1]3 %");
    }
}
