//! Where a process shows a setting.

use whyslow_conditions::KernelFile;
use whyslow_host::system_program;

/// Where a process sees a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shows {
    /// In what the loader lists as its tunables.
    Tunable(String),
    /// In its environment.
    Variable(String),
    /// In a line of `/proc/self/status`.
    Status(&'static str),
    /// In a field of `/proc/self/stat`, counted from 1 as in proc_pid_stat(5).
    Stat(usize),
    /// In `/proc/self/timerslack_ns`.
    TimerSlack,
    /// In a file of the kernel.
    File(KernelFile),
}

impl Shows {
    /// What shows it, started as the command is.
    pub(crate) fn program(&self, loader: &str) -> Vec<String> {
        let cat = |file: &str| {
            let cat = system_program("cat").display().to_string();
            vec![cat, file.to_owned()]
        };
        match self {
            Shows::Tunable(_) => vec![loader.to_owned(), "--list-tunables".into()],
            Shows::Variable(_) => vec![system_program("env").display().to_string()],
            Shows::Status(_) => cat("/proc/self/status"),
            Shows::Stat(_) => cat("/proc/self/stat"),
            Shows::TimerSlack => cat("/proc/self/timerslack_ns"),
            Shows::File(file) => cat(&file.path()),
        }
    }

    /// The value in what the program prints.
    pub(crate) fn value(&self, text: &str) -> Option<String> {
        let line = |name: &str, end: char| {
            let mut lines = text.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(end))
        };
        let found = match self {
            Shows::Tunable(name) => {
                let rest = line(name, ':')?;
                let value = rest.split_once(" (min:").map_or(rest, |(value, _)| value);
                return number(value.trim()).map(|n| n.to_string());
            }
            Shows::Variable(name) => line(name, '=')?,
            Shows::Status(name) => line(name, ':')?.trim(),
            // The name of the program, which may hold anything, is in parentheses and the second field.
            Shows::Stat(field) => {
                let rest = text.rsplit_once(')')?.1;
                rest.split_whitespace().nth(field.checked_sub(3)?)?
            }
            Shows::TimerSlack => text.trim(),
            Shows::File(_) => {
                return Some(KernelFile::value(text)).filter(|value| !value.is_empty());
            }
        };
        Some(found.to_owned())
    }
}

/// As the loader writes it.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_what_programs_print() {
        let tunable = Shows::Tunable("glibc.malloc.hugetlb".into());
        let text = "glibc.malloc.perturb: 0 (min: 0, max: 255)\nglibc.malloc.hugetlb: 0x10 (min: 0x0, max: 0xff)\n";
        assert_eq!(tunable.value(text), Some("16".into()));
        assert_eq!(tunable.value("glibc.malloc.hugetlb:\n"), None);
        let variable = Shows::Variable("LANG".into());
        assert_eq!(variable.value("LANGUAGE=x\nLANG=C=1\n"), Some("C=1".into()));
        let status = Shows::Status("THP_enabled");
        assert_eq!(status.value("THP_enabled:\t1\n"), Some("1".into()));
        let stat = "12 (a) b) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -5 17";
        assert_eq!(Shows::Stat(19).value(stat), Some("-5".into()));
        assert_eq!(Shows::Stat(99).value(stat), None);
        let file = Shows::File(KernelFile::ThpEnabled);
        assert_eq!(
            file.value("always [madvise] never\n"),
            Some("madvise".into())
        );
        assert_eq!(file.value("\n"), None);
        assert_eq!(Shows::TimerSlack.value("50000\n"), Some("50000".into()));
    }
}
