//! The hypervisor, and the container of this process.

use whyslow_model::host::{Hypervisor, Known, Machine};

use crate::parse::processors;
use crate::root::HostRoot;

/// Signatures of CPUID leaf 0x40000000 and the names in use for them.
const SIGNATURES: [(&str, &str); 9] = [
    ("KVMKVMKVM", "KVM"),
    ("Linux KVM Hv", "KVM (as Hyper-V)"),
    ("Microsoft Hv", "Hyper-V"),
    ("VMwareVMware", "VMware"),
    ("XenVMMXenVMM", "Xen"),
    ("TCGTCGTCGTCG", "QEMU without acceleration"),
    ("bhyve bhyve", "bhyve"),
    ("ACRNACRNACRN", "ACRN"),
    ("VBoxVBoxVBox", "VirtualBox"),
];

/// Words in the firmware's vendor or product that only virtual machines have.
const FIRMWARE: [(&str, &str); 9] = [
    ("QEMU", "QEMU"),
    ("KVM", "KVM"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Xen", "Xen"),
    ("Virtual Machine", "Hyper-V"),
    ("Google Compute Engine", "KVM (Google Compute Engine)"),
    ("OpenStack", "KVM (OpenStack)"),
];

/// From CPUID, the kernel's flags, firmware and `/sys/hypervisor`, in this order.
pub(super) fn hypervisor(root: &HostRoot, machine: &Machine) -> Hypervisor {
    let mut evidence = vec![];
    let mut names = vec![];
    let cpuid = root.calls().cpuid.value();
    if let Some(signature) = cpuid.and_then(|cpuid| cpuid.hypervisor()) {
        let known = SIGNATURES.iter().find(|(text, _)| *text == signature);
        names.push(known.map_or(signature.clone(), |(_, name)| (*name).to_owned()));
        evidence.push(format!("CPUID 0x40000000 {signature:?}"));
    }
    if let Known::Is(kind) = root.line("/sys/hypervisor/type") {
        evidence.push(format!("/sys/hypervisor/type {kind:?}"));
        names.push(kind);
    }
    for (what, text) in [("vendor", &machine.vendor), ("product", &machine.product)] {
        let Some(text) = text.value() else { continue };
        if let Some((_, name)) = FIRMWARE.iter().find(|(word, _)| text.contains(word)) {
            names.push((*name).to_owned());
            evidence.push(format!("firmware {what} {text:?}"));
        }
    }
    let flag = cpuid
        .and_then(|cpuid| cpuid.is_guest())
        .map_or_else(|| kernel_flag(root), Known::Is);
    if flag.value() == Some(&true) {
        evidence.push("the CPU's hypervisor flag".to_owned());
    }
    Hypervisor {
        guest: if evidence.is_empty() {
            flag
        } else {
            Known::Is(true)
        },
        name: names
            .into_iter()
            .next()
            .map_or_else(|| Known::unknown("nothing names one"), Known::Is),
        evidence,
        container: container(root),
    }
}

/// The kernel shows CPUID's flag on x86; elsewhere its absence says nothing.
fn kernel_flag(root: &HostRoot) -> Known<bool> {
    root.text("/proc/cpuinfo").and_then(|text| {
        processors(&text)
            .first()
            .map_or_else(
                || Known::unknown("no processor in /proc/cpuinfo"),
                |first| first.get("flags"),
            )
            .map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
    })
}

/// The container runtime of this process, from its traces.
fn container(root: &HostRoot) -> Known<String> {
    let variable = root
        .calls()
        .environment
        .iter()
        .find(|(name, _)| name == b"container")
        .map(|(_, value)| String::from_utf8_lossy(value).into_owned());
    if let Some(name) = variable.filter(|name| !name.is_empty()) {
        return Known::Is(name);
    }
    if let Known::Is(name) = root.line("/run/systemd/container") {
        return Known::Is(name);
    }
    for (path, name) in [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")] {
        if root.bytes(path).is_ok() {
            return Known::Is(name.to_owned());
        }
    }
    Known::unknown("nothing names one")
}
