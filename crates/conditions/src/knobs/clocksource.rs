//! The clock source of the whole machine.

use crate::error::ConditionError;
use crate::kernel_file::KernelFile;
use crate::knob::Knob;
use crate::setting::Setting;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "clocksource",
    value: "a name listed by the kernel, other for the first that is not in use, or same",
    what: "Switches the whole machine to another clock source while the program runs; needs root.",
    enter: |value, under| {
        let read = |name: &str| {
            let path = format!("{FOLDER}/{name}");
            std::fs::read_to_string(&path).map_err(|e| ConditionError::at(path.as_ref(), e))
        };
        let now = read("current_clocksource")?.trim().to_owned();
        let wanted = match value {
            "same" => now,
            "other" => {
                let all = read("available_clocksource")?;
                let other = all.split_whitespace().find(|name| *name != now);
                other
                    .ok_or_else(|| {
                        ConditionError::unavailable(format!("{now} is the only clock source here"))
                    })?
                    .to_owned()
            }
            name => name.to_owned(),
        };
        let setting = Setting::set(&[KernelFile::CurrentClocksource], Some(&wanted))?;
        under.guard(setting);
        Ok(())
    },
};

/// The kernel's file for it.
const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";
