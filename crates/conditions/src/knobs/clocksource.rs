//! The clock source of the whole machine.

use crate::condition::Knob;
use crate::setting::Setting;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "clocksource",
    value: "its name, as the kernel lists it",
    what: "Has the whole machine read the time from another source while the program runs; needs root.",
    enter: |value, under| {
        let setting = Setting::set(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            value,
        )?;
        under.guard(setting);
        Ok(())
    },
};
