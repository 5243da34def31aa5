//! A setting of the whole machine.

use std::path::Path;

use crate::error::ConditionError;
use crate::kernel_setting::KernelSetting;
use crate::knob::Knob;
use crate::setting::Setting;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "kernel",
    value: "a setting of the kernel and its value, such as swappiness=10, or same for the value that it has",
    what: "Changes a setting of the whole machine while the program runs; needs root.",
    enter: |value, under| {
        let (name, value) = value.split_once('=').unwrap_or((value, ""));
        let setting = KernelSetting::ALL.into_iter().find(|s| s.name() == name);
        let setting = setting.ok_or_else(|| {
            let names = KernelSetting::ALL.map(KernelSetting::name).join(", ");
            ConditionError::bad_value(format!(
                "'{name}' is not a setting of the kernel; settings are {names}"
            ))
        })?;
        let files = setting.files(Path::new("/"), Path::new("."))?;
        under.guard(Setting::set(&files, (value != "same").then_some(value))?);
        Ok(())
    },
};
