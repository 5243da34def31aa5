//! Clock speed and sleep of the CPUs: what is set, not what is measured.

use whyslow_model::host::{CpuSet, Known};
use whyslow_model::state::{Frequency, FrequencyPolicy, IdleState};

use crate::root::HostRoot;

const CPU: &str = "/sys/devices/system/cpu";

pub(super) fn frequency(root: &HostRoot) -> Frequency {
    let line = |path: &str| root.line(&format!("{CPU}/{path}"));
    Frequency {
        policies: policies(root),
        boost: boost(root),
        pstate_status: line("intel_pstate/status").or_else(|| line("amd_pstate/status")),
        idle_driver: line("cpuidle/current_driver"),
        idle_governor: line("cpuidle/current_governor")
            .or_else(|| line("cpuidle/current_governor_ro")),
        idle_states: idle_states(root),
    }
}

/// One entry for each different setting, with all CPUs that have it.
fn policies(root: &HostRoot) -> Known<Vec<FrequencyPolicy>> {
    let folder = format!("{CPU}/cpufreq");
    let numbers = match root.numbered(&folder, "policy") {
        Ok(numbers) if numbers.is_empty() => {
            return Known::unknown(format!("no policy in {folder}"));
        }
        Ok(numbers) => numbers,
        Err(why) => return Known::unknown(why),
    };
    let mut policies: Vec<FrequencyPolicy> = vec![];
    for number in numbers {
        let path = |name: &str| format!("{folder}/policy{number}/{name}");
        let found = FrequencyPolicy {
            cpus: root
                .value::<String>(&path("affected_cpus"))
                .into_value()
                .map(|text| {
                    text.split_whitespace()
                        .filter_map(|cpu| cpu.parse().ok())
                        .collect()
                })
                .unwrap_or_else(|| CpuSet::from_iter([number])),
            driver: root.line(&path("scaling_driver")),
            governor: root.line(&path("scaling_governor")),
            min_khz: root.value(&path("scaling_min_freq")),
            max_khz: root.value(&path("scaling_max_freq")),
            energy_preference: root.line(&path("energy_performance_preference")),
        };
        // By value: the reasons name the file and so differ.
        let is_like = |other: &&mut FrequencyPolicy| {
            other.driver.value() == found.driver.value()
                && other.governor.value() == found.governor.value()
                && other.min_khz.value() == found.min_khz.value()
                && other.max_khz.value() == found.max_khz.value()
                && other.energy_preference.value() == found.energy_preference.value()
        };
        match policies.iter_mut().find(is_like) {
            Some(policy) => policy.cpus = policy.cpus.iter().chain(found.cpus.iter()).collect(),
            None => policies.push(found),
        }
    }
    Known::Is(policies)
}

/// The common switch, or that of `intel_pstate`, which is the other way round.
fn boost(root: &HostRoot) -> Known<bool> {
    root.switch(&format!("{CPU}/cpufreq/boost")).or_else(|| {
        root.switch(&format!("{CPU}/intel_pstate/no_turbo"))
            .map(|no_turbo| !no_turbo)
    })
}

fn idle_states(root: &HostRoot) -> Known<Vec<IdleState>> {
    let folder = format!("{CPU}/cpu0/cpuidle");
    let state = |number: u32| {
        let path = |name: &str| format!("{folder}/state{number}/{name}");
        Some(IdleState {
            name: root.line(&path("name")).into_value()?,
            exit_latency_us: root.value(&path("latency")),
            disabled: root.switch(&path("disable")),
        })
    };
    match root.numbered(&folder, "state") {
        Err(why) => Known::unknown(why),
        Ok(numbers) if numbers.is_empty() => Known::unknown(format!("no state in {folder}")),
        Ok(numbers) => Known::Is(numbers.into_iter().filter_map(state).collect()),
    }
}
