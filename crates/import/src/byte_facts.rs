//! What a report of BYTE or UnixBench says of its machine.

use crate::Sheet;
use crate::pattern::after;

/// Takes in what `line` states, if anything.
pub(crate) fn state(line: &str, sheet: &mut Sheet) {
    if let Some((cores, _)) = line
        .split_once(" CPUs in system")
        .or_else(|| line.split_once(" CPU in system"))
    {
        sheet.state("", "cores", cores);
    } else if let Some(kernel) = kernel_of(line) {
        sheet.state("", "kernel", kernel);
    } else if let Some(cpu) = cpu_of(line) {
        sheet.state("", "cpu", cpu);
    }
}

/// `OS: GNU/Linux -- 6.1.67-gentoo -- #1 SMP`, `System -- Linux box 2.5.51 #3`, `System: Linux box 2.4.19`.
fn kernel_of(line: &str) -> Option<&str> {
    if let Some(rest) = after(line, "OS: ") {
        return rest.split(" -- ").nth(1);
    }
    let rest = after(line, "System -- ").or_else(|| after(line, "System: "))?;
    let mut words = rest.split_whitespace();
    let linux = words.next().is_some_and(|word| word == "Linux");
    words
        .nth(1)
        .filter(|word| linux && word.starts_with(|c: char| c.is_ascii_digit()))
}

/// `CPU 0: AMD EPYC 7713 (3992.5 bogomips)` and `Model: ...`
fn cpu_of(line: &str) -> Option<&str> {
    let rest = after(line, "CPU ")?;
    let (number, model) = rest.split_once(':')?;
    number.trim().parse::<u32>().ok()?;
    let (model, _) = model.rsplit_once('(').unwrap_or((model, ""));
    Some(model.trim()).filter(|model| !model.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_all_versions() {
        assert_eq!(
            kernel_of("   OS: GNU/Linux -- 6.1.67-gentoo -- #1 SMP"),
            Some("6.1.67-gentoo")
        );
        assert_eq!(
            kernel_of("System -- Linux box 2.5.51 #3 Tue i686"),
            Some("2.5.51")
        );
        assert_eq!(kernel_of("   System: box: GNU/Linux"), None);
        assert_eq!(
            cpu_of("   CPU 0: AMD EPYC 7713 64-Core Processor (3992.5 bogomips)"),
            Some("AMD EPYC 7713 64-Core Processor")
        );
        assert_eq!(cpu_of("CPU time: 5"), None);
    }
}
