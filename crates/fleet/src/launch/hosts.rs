//! Names of nodes as they are typed: `n1,n2`, `n[01-16,20]`, or a file with a name a line.

/// Most names that a list may stand for; no machine has more nodes.
const MOST: usize = 1_000_000;

/// Most digits of a number in brackets.
const MOST_DIGITS: usize = 9;

/// Why a list of nodes cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostsError {
    /// Brackets that say nothing.
    #[error("'{0}' is no list of nodes; such are n1,n2 and n[01-16,20]")]
    List(String),
    /// A name that cannot be that of a folder or of an argument.
    #[error("'{0}' cannot be the name of a node: a folder is named by it")]
    Name(String),
    /// More names than there are machines.
    #[error("'{0}' stands for too many nodes")]
    Many(String),
}

/// The names that `list` stands for, each once, in its order.
///
/// # Errors
/// When it is no list, or has a name that cannot be used.
pub fn hosts(list: &str) -> Result<Vec<String>, HostsError> {
    let mut found = Vec::new();
    for part in parts(list).ok_or_else(|| HostsError::List(list.to_owned()))? {
        expand(part, String::new(), &mut found).map_err(|why| match why {
            Bad::List => HostsError::List(part.to_owned()),
            Bad::Many => HostsError::Many(part.to_owned()),
        })?;
    }
    known(found)
}

/// The names in the text of a file: the first word of each line; what follows `#` is a comment.
///
/// # Errors
/// As [`hosts`].
pub fn hosts_of_file(text: &str) -> Result<Vec<String>, HostsError> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let mut found = Vec::new();
    for word in lines.filter_map(|line| line.split_whitespace().next()) {
        found.extend(hosts(word)?);
    }
    known(found)
}

/// Can a folder, an argument and a line on the screen be named `name`?
pub fn name_of_node(name: &str) -> bool {
    let plain = name
        .chars()
        .all(|c| !c.is_control() && !c.is_whitespace() && c != '/');
    plain && !name.is_empty() && !name.starts_with(['.', '-']) && name.len() < 200
}

fn known(mut names: Vec<String>) -> Result<Vec<String>, HostsError> {
    if let Some(bad) = names.iter().find(|name| !name_of_node(name)) {
        return Err(HostsError::Name(bad.clone()));
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

/// Split at the commas that are in no brackets.
fn parts(list: &str) -> Option<Vec<&str>> {
    let (mut found, mut from, mut inside) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        match c {
            '[' if inside => return None,
            ']' if !inside => return None,
            '[' | ']' => inside = !inside,
            ',' if !inside => {
                found.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[from..]);
    let found = found.into_iter().map(str::trim);
    (!inside).then(|| found.filter(|part| !part.is_empty()).collect())
}

enum Bad {
    List,
    Many,
}

/// Adds what `rest`, after `before`, stands for.
fn expand(rest: &str, before: String, found: &mut Vec<String>) -> Result<(), Bad> {
    let Some((plain, inner)) = rest.split_once('[') else {
        if found.len() >= MOST {
            return Err(Bad::Many);
        }
        found.push(before + rest);
        return Ok(());
    };
    let (inner, after) = inner.split_once(']').ok_or(Bad::List)?;
    for range in inner.split(',') {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| -> Result<usize, Bad> {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            match digits && text.len() <= MOST_DIGITS {
                true => text.parse().map_err(|_| Bad::List),
                false => Err(Bad::List),
            }
        };
        let (first, last, width) = (number(from)?, number(to)?, from.len());
        if first > last {
            return Err(Bad::List);
        }
        for at in first..=last {
            expand(after, format!("{before}{plain}{at:0width$}"), found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_those_of_slurm() {
        for (list, names) in [
            ("n1", "n1"),
            ("n1, n2,,n1", "n1 n2"),
            ("n[1-3,7]", "n1 n2 n3 n7"),
            ("n[08-10]", "n08 n09 n10"),
            ("r[1-2]n[1-2]-ib,x", "r1n1-ib r1n2-ib r2n1-ib r2n2-ib x"),
            ("user@10.0.0.1", "user@10.0.0.1"),
        ] {
            assert_eq!(hosts(list).unwrap().join(" "), names, "{list}");
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for bad in ["n[1", "n]1", "n[[1]]", "n[3-1]", "n[a-b]", "n[]"] {
            assert!(matches!(hosts(bad), Err(HostsError::List(_))), "{bad}");
        }
        for bad in ["-oProxyCommand=x", "../x", ".x", "a b", "a\u{1b}b"] {
            assert!(matches!(hosts(bad), Err(HostsError::Name(_))), "{bad}");
        }
        assert!(matches!(hosts("n[1-999999999]"), Err(HostsError::Many(_))));
    }

    #[test]
    fn a_file_has_a_name_a_line() {
        let text = "# rack 1\nn1 10.0.0.1\n\n  n[2-3]  # spare\nn1\n";
        assert_eq!(hosts_of_file(text).unwrap(), ["n1", "n2", "n3"]);
    }
}
