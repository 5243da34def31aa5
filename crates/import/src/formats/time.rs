//! Times of commands: `time -p`, the shell's `time`, and GNU time in both its layouts.

use std::collections::HashMap;

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::clock::clock;
use crate::number::plain;
use crate::pattern::{after, wide_cells};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "time",
    what: "times of commands by time -p, the shell's time, or GNU time (with -v too)",
    repeats: "runs of the command",
    silent: "command (but with -v), machine, or what else ran",
    roles: ROLES,
    looks,
    part: Some(|line| posix(line).is_some() || short(line).is_some() || gnu_long(line).is_some()),
    known: &[
        "Exit status:",
        "Average ",
        "Swaps:",
        "File system inputs:",
        "File system outputs:",
        "Socket messages",
        "Signals delivered:",
        "Page size (bytes):",
        "pagefaults",
        "records in",
        "records out",
    ],
    read,
};

/// What its rows are about; the first that fits counts.
const ROLES: &[RowRoles] = &[
    ("time.real", "", Roles::All(Role::RealTime)),
    ("time.user", "", Roles::All(Role::UserTime)),
    ("time.sys", "", Roles::All(Role::SystemTime)),
    ("time.", "_faults", Roles::All(Role::Count)),
    ("time.", "_switches", Roles::All(Role::Count)),
    ("time.", "_resident", Roles::All(Role::Count)),
    ("time.cpu", "", Roles::All(Role::Count)),
    ("time.", "puts", Roles::All(Role::Count)),
];

fn looks(text: &Text) -> usize {
    marks(text, |line| posix(line).is_some() || short(line).is_some())
        + runs_of(text).len()
        + marks(text, |line| gnu_long(line).is_some()) * 2
}

/// The times that a line may be of, as the shell and POSIX name them.
const NAMES: [&str; 3] = ["real", "user", "sys"];

/// `real 1.23`, `real<TAB>0m1.234s` and busybox's `real<TAB>0m 1.23s`: the name and the printed time.
fn posix(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim();
    let end = line.find(char::is_whitespace)?;
    let name = NAMES.iter().find(|name| **name == &line[..end])?;
    let time = line[end..].trim_start();
    // A remark that points at it, `0m18.5s  <--- slow`.
    let time = time
        .split_once(" <")
        .map_or(time, |(time, _)| time.trim_end());
    let begins = time.starts_with(|c: char| c.is_ascii_digit());
    let one = match time.split_once(char::is_whitespace) {
        Some((minutes, _)) => minutes.ends_with('m') && time.split_whitespace().count() == 2,
        None => true,
    };
    (begins && one).then_some((*name, time))
}

/// `real  0m22.9s  0m24.1s  0m21.5s  0m21.0s`: several runs beside each other. Two or three may as well be sides.
fn runs(line: &str) -> Option<(&'static str, Vec<&str>)> {
    /// Fewer are sides.
    const FEWEST: usize = 4;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let name = NAMES.iter().find(|name| **name == first)?;
    let times: Vec<&str> = words.collect();
    let is = |time: &&str| {
        let alone = plain(time.trim_end_matches('s')).is_some_and(|value| value >= 0.0);
        alone || clock(time).is_some()
    };
    (times.len() >= FEWEST && times.iter().all(is)).then_some((*name, times))
}

/// Such lines by number, but not below names of as many columns, which are sides.
fn runs_of<'a>(text: &'a Text<'_>) -> Vec<(usize, &'static str, Vec<&'a str>)> {
    let mut found = Vec::new();
    let mut columns = 0;
    for (number, line) in text.lines() {
        if let Some((name, times)) = runs(line) {
            if columns != times.len() && columns != times.len() + 1 {
                found.push((number, name, times));
            }
        } else if !line.trim().is_empty() {
            columns = wide_cells(line).len();
        }
    }
    found
}

/// `1.00user 0.20system 0:01.50elapsed 99%CPU ...`
fn gnu_short(line: &str) -> Option<[(&'static str, &str); 3]> {
    let mut words = line.split_whitespace();
    let user = words.next()?.strip_suffix("user")?;
    let system = words.next()?.strip_suffix("system")?;
    let elapsed = words.next()?.strip_suffix("elapsed")?;
    Some([("user", user), ("sys", system), ("real", elapsed)])
}

/// What GNU time prints beside the times: `99%CPU (0avgtext+0avgdata 1276maxresident)k`, and on its second line
/// `8inputs+16outputs (0major+63minor)pagefaults 0swaps`. The rows are those of its long form.
fn gnu_rest(line: &str) -> Vec<(Row, f64)> {
    const FIGURES: [(&str, &str, &str, Better); 6] = [
        ("%CPU", "cpu", "%", Higher),
        ("maxresident)k", "max resident", "KiB", Lower),
        ("major", "major faults", "faults", Lower),
        ("minor)pagefaults", "minor faults", "faults", Lower),
        ("inputs", "inputs", "blocks", Lower),
        ("outputs", "outputs", "blocks", Lower),
    ];
    if gnu_short(line).is_none() && !line.contains("pagefaults") {
        return Vec::new();
    }
    let words = line.split([' ', '+', '(']);
    let figures = words.filter_map(|word| {
        let of = |(end, name, unit, better): &(&str, &str, &str, Better)| {
            let value = plain(word.strip_suffix(end)?)?;
            Some((Row::new("time", name, unit, *better), value))
        };
        FIGURES.iter().find_map(of)
    });
    figures.collect()
}

/// `0.03 real  0.01 user  0.00 sys` of BSD, and `0m0.03s real  0m0.01s user  0m0.00s system` of ksh.
fn bsd(line: &str) -> Option<[(&'static str, &str); 3]> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [real, "real", user, "user", sys, "sys" | "system"] = words[..] else {
        return None;
    };
    Some([("user", user), ("sys", sys), ("real", real)])
}

/// A line with all three times.
fn short(line: &str) -> Option<[(&'static str, &str); 3]> {
    gnu_short(line)
        .or_else(|| bsd(line))
        .or_else(|| zsh(line))
        .or_else(|| csh(line))
        .or_else(|| joined(line))
}

/// bash's three lines on one, `real 0m3.21s user 0m1.02s sys 0m0.34s`.
fn joined(line: &str) -> Option<[(&'static str, &str); 3]> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["real", real, "user", user, "sys", sys] = words[..] else {
        return None;
    };
    let times = [("user", user), ("sys", sys), ("real", real)];
    let all = times.iter().all(|(_, time)| clock(time).is_some());
    all.then_some(times)
}

/// zsh's `make  1.00s user 0.20s system 80% cpu 1.500 total`, and what others print of the same.
fn zsh(line: &str) -> Option<[(&'static str, &str); 3]> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let before = |name: &str| {
        let at = words.iter().position(|w| w.trim_end_matches(',') == name)?;
        let time = words.get(at.checked_sub(1)?)?;
        time.starts_with(|c: char| c.is_ascii_digit())
            .then_some(*time)
    };
    let own = line.trim_end().ends_with(" total") && line.contains("% cpu ");
    own.then_some(())?;
    Some([
        ("user", before("user")?),
        ("sys", before("system")?),
        ("real", before("total")?),
    ])
}

/// csh's `1.00u 0.20s 0:01.50 80.0% 0+0k 0+0io 0pf+0w`.
fn csh(line: &str) -> Option<[(&'static str, &str); 3]> {
    let mut words = line.split_whitespace();
    let user = words.next()?.strip_suffix('u')?;
    let system = words.next()?.strip_suffix('s')?;
    let elapsed = words.next().filter(|w| w.contains(':'))?;
    let share = words.next().is_some_and(|w| w.ends_with('%'));
    (share && plain(user).is_some()).then_some([("user", user), ("sys", system), ("real", elapsed)])
}

/// What csh prints beside the times: `66.2% 0+0k 12+34io 1310pf+0w`, the share of a CPU, memory, blocks read and written,
/// faults, and times that it was swapped out. The rows are those of GNU time.
fn csh_rest(line: &str) -> Vec<(Row, f64)> {
    let mut found = Vec::new();
    let mut take = |name: &str, unit: &str, better, printed: Option<&str>| {
        // Systems that do not count something print a zero.
        let value = printed.and_then(plain).filter(|value| *value > 0.0);
        found.extend(value.map(|value| (Row::new("time", name, unit, better), value)));
    };
    // The words of the times stand in front.
    let words = line.split_whitespace().skip(3);
    for word in words.filter(|_| csh(line).is_some()) {
        take("cpu", "%", Higher, word.strip_suffix('%'));
        let blocks = word.strip_suffix("io").and_then(|io| io.split_once('+'));
        take("inputs", "blocks", Lower, blocks.map(|(read, _)| read));
        take(
            "outputs",
            "blocks",
            Lower,
            blocks.map(|(_, written)| written),
        );
        let faults = word.split_once("pf+").map(|(faults, _)| faults);
        take("major faults", "faults", Lower, faults);
    }
    found
}

/// What stands beside the times of a line.
fn rest(line: &str) -> Vec<(Row, f64)> {
    let mut rest = gnu_rest(line);
    rest.extend(csh_rest(line));
    rest
}

/// Is it a line of times, of any shell?
pub(crate) fn is_times(line: &str) -> bool {
    short(line).is_some() || posix(line).is_some()
}

/// The rows of a line of times, each with its figure.
pub(crate) fn rows(line: &str, number: usize) -> Vec<(Row, Result<f64, Fault>)> {
    let times: Vec<(&str, &str)> = match short(line) {
        Some(times) => times.to_vec(),
        None => posix(line).into_iter().collect(),
    };
    let times = times.into_iter().map(|(name, printed)| {
        let row = Row::new("time", name, "s", Lower);
        (row, seconds(printed, number))
    });
    let rest = rest(line).into_iter().map(|(row, value)| (row, Ok(value)));
    times.chain(rest).collect()
}

/// Lines of `time -v` that are figures: how they begin, the row, the unit, which direction is good.
const LONG: [(&str, &str, &str, Better); 9] = [
    ("User time (seconds):", "user", "s", Lower),
    ("System time (seconds):", "sys", "s", Lower),
    (
        "Elapsed (wall clock) time (h:mm:ss or m:ss):",
        "real",
        "s",
        Lower,
    ),
    (
        "Maximum resident set size (kbytes):",
        "max resident",
        "KiB",
        Lower,
    ),
    (
        "Major (requiring I/O) page faults:",
        "major faults",
        "faults",
        Lower,
    ),
    (
        "Minor (reclaiming a frame) page faults:",
        "minor faults",
        "faults",
        Lower,
    ),
    (
        "Voluntary context switches:",
        "voluntary switches",
        "switches",
        Lower,
    ),
    (
        "Involuntary context switches:",
        "involuntary switches",
        "switches",
        Lower,
    ),
    ("Percent of CPU this job got:", "cpu", "%", Higher),
];

fn gnu_long(line: &str) -> Option<(&'static str, &str, &'static str, Better)> {
    let found = |(begin, name, unit, better): &(&str, &'static str, &'static str, Better)| {
        let rest = after(line, begin)?;
        Some((*name, rest.trim_end_matches('%'), *unit, *better))
    };
    LONG.iter().find_map(found)
}

/// Seconds as printed: `1.23`, `0m1.23s`, `0:01.23`. Minutes in front count as part of the number; `1,23s` is none.
fn seconds(printed: &str, line: usize) -> Result<f64, Fault> {
    // busybox has a space behind the minutes; any other one breaks a number.
    let words: Vec<&str> = printed.split_whitespace().collect();
    let joined = match words[..] {
        [minutes, seconds] if minutes.ends_with('m') => format!("{minutes}{seconds}"),
        _ => words.join(" "),
    };
    let printed = joined.as_str();
    let alone = plain(printed.trim_end_matches('s')).filter(|v| *v >= 0.0);
    let value = alone.or_else(|| clock(printed).map(|(value, _)| value));
    value.ok_or_else(|| {
        let printed = crate::error::quote(printed);
        Fault::at(
            line,
            format!("'{printed}' is no time; set LC_ALL=C for the command"),
        )
    })
}

fn amount(printed: &str, line: usize) -> Result<f64, Fault> {
    plain(printed).ok_or_else(|| {
        let printed = crate::error::quote(printed);
        Fault::at(
            line,
            format!("'{printed}' is no number; is the line broken?"),
        )
    })
}

/// Adds the figures of one line, or refuses it for one that is none.
fn add<const N: usize>(
    figures: [(Row, Result<f64, Fault>); N],
    line: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    for (row, value) in figures {
        match value {
            Ok(value) => sheet.add("", row, value, line)?,
            Err(fault) => sheet.judge(Err(fault))?,
        }
    }
    Ok(())
}

/// A command as it was typed above its times: `$ time make`, `time ./a 7`, `docker run --rm a`.
fn typed_command(line: &str) -> Option<&str> {
    let bare = line.trim();
    if short(bare).is_some() || gnu_long(bare).is_some() || posix(bare).is_some() {
        return None;
    }
    // As a shell traces it: `+ env time rm -rf 1`.
    let traced = bare.strip_prefix("+ ");
    let traced = traced.filter(|typed| typed.split_whitespace().take(2).any(|word| word == "time"));
    let prompt = bare.strip_prefix("$ ").or(traced);
    let begins = after(bare, "time ").is_some() && !bare.ends_with(':');
    let option = bare
        .split_whitespace()
        .any(|word| word.starts_with("--") && word.len() > 2);
    let named = bare.starts_with(|c: char| c.is_ascii_alphabetic() || "./~".contains(c));
    (prompt.is_some() || (named && (begins || option))).then_some(prompt.unwrap_or(bare))
}

/// A command as a title has it.
fn start_of(command: &str) -> &str {
    /// Longer ones are cut, bytes.
    const LONGEST: usize = 80;
    let end = (0..=LONGEST.min(command.len()))
        .rev()
        .find(|at| command.is_char_boundary(*at));
    command.get(..end.unwrap_or(0)).unwrap_or(command)
}

/// The different commands of a text, in order.
fn commands<'a>(text: &'a Text<'_>) -> Vec<&'a str> {
    /// More are a log.
    const MOST: usize = 100;
    let mut commands: Vec<&str> = Vec::new();
    for command in text.lines().filter_map(|(_, line)| typed_command(line)) {
        if !commands.contains(&command) && commands.len() < MOST {
            commands.push(command);
        }
    }
    commands
}

/// The word in which a command differs from the others, with the one before it: `main.py 8`. None where they differ in
/// more than one.
fn told_apart(commands: &[&str], own: &str) -> Option<String> {
    let words =
        |command: &str| -> Vec<String> { command.split_whitespace().map(str::to_owned).collect() };
    let own = words(own);
    let mut place = None;
    for other in commands {
        let other = words(other);
        let mut differ = (0..own.len()).filter(|at| own.get(*at) != other.get(*at));
        let (first, second) = (differ.next(), differ.next());
        if other.len() != own.len() || second.is_some() {
            return None;
        }
        match (place, first) {
            (None, first) => place = first,
            (Some(_), None) => {}
            (Some(at), Some(first)) if at == first => {}
            _ => return None,
        }
    }
    // A setting that differs, as in `LC_ALL=C sort`, is one of the sides.
    let at = place.filter(|at| *at > 0 && !own[*at].contains('='))?;
    Some(format!("{} {}", own[at - 1], own[at]))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut command = String::new();
    let commands = commands(text);
    let mut typed = "";
    let mut beside = runs_of(text).into_iter().peekable();
    let mut rounds: HashMap<&str, u32> = HashMap::new();
    // zsh and GNU time have names of their own for the elapsed time; next to another's times it goes by their name.
    let own = |is: fn(&str) -> bool| {
        let mut lines = text.lines().map(|(_, line)| line);
        lines.all(|line| is(line) || short(line).is_none() && posix(line).is_none())
    };
    let total = own(|line| zsh(line).is_some());
    let elapsed = own(|line| gnu_short(line).is_some());
    for (number, line) in text.lines() {
        if let Some(next) = typed_command(line) {
            sheet.aside(number);
            match told_apart(&commands, next) {
                Some(name) => command = name,
                // Another command's times are no repetition.
                None if !typed.is_empty() && typed != next => sheet.apart(),
                None => {}
            }
            if typed != next {
                rounds.clear();
            }
            typed = next;
            continue;
        }
        let row = |name: &str, unit: &str, better| {
            let row = Row::new("time", name, unit, better);
            match (command.as_str(), commands.len()) {
                ("", 0 | 1) => row,
                ("", _) => row.titled(&format!("{name}, {}", start_of(typed))),
                (command, _) => row.with("command", command),
            }
        };
        if let Some(rest) = after(line, "Command being timed:") {
            command = rest.trim_matches('"').to_owned();
        } else if let Some((_, name, times)) = beside.next_if(|(at, ..)| *at == number) {
            let round = rounds.entry(name).or_default();
            for printed in times {
                *round += 1;
                if let Some(value) = sheet.either(seconds(printed, number))? {
                    sheet.add_once("", row(name, "s", Lower), value, number, *round)?;
                }
            }
        } else if let Some((name, printed)) = posix(line) {
            let figures = [(row(name, "s", Lower), seconds(printed, number))];
            add(figures, number, sheet)?;
        } else if let Some(figures) = short(line) {
            let title = |name| match name {
                "real" if total => "real (total)",
                "real" if elapsed => "real (elapsed)",
                "sys" if total || elapsed => "sys (system)",
                name => name,
            };
            let figure = |(name, printed)| {
                let row = row(title(name), "s", Lower).id("time", name);
                (row, seconds(printed, number))
            };
            add(figures.map(figure), number, sheet)?;
            for (rest, value) in rest(line) {
                let own = row(&rest.title, &rest.symbol, rest.better);
                sheet.add("", own, value, number)?;
            }
        } else if line.contains("pagefaults") {
            for (rest, value) in gnu_rest(line) {
                let own = row(&rest.title, &rest.symbol, rest.better);
                sheet.add("", own, value, number)?;
            }
        } else if let Some((name, printed, unit, better)) = gnu_long(line) {
            let value = if unit == "s" {
                seconds(printed, number)
            } else {
                amount(printed, number)
            };
            add([(row(name, unit, better), value)], number, sheet)?;
        }
    }
    Ok(())
}
