//! Competing processes on the same CPUs.

use crate::knob::Knob;
use crate::knobs::cpus::mask;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "neighbor",
    value: "processes per CPU; 0 for one that sleeps",
    what: "Keeps this many processes busy on each CPU that the program may use, for as long as it runs.",
    enter: |value, under| {
        let processes: u32 = number(value, "processes")?;
        for cpu in mask()? {
            let cpu = cpu.to_string();
            if processes == 0 {
                under.neighbor(&["sleep", &cpu])?;
            }
            for _ in 0..processes {
                under.neighbor(&["spin", &cpu])?;
            }
        }
        Ok(())
    },
};
