//! What the host is, one file a subject.

mod cache;
mod cpu;
mod hypervisor;
mod id;
mod tlb;
mod topology;

use whyslow_model::host::{Cache, Host, Known, Machine, Memory, Pages};

use crate::parse::{Keyed, size_bytes};
use crate::root::HostRoot;

impl HostRoot {
    /// The caches alone, without asking the host's tools for what else there is.
    pub fn caches(&self) -> Known<Vec<Cache>> {
        cache::caches(self)
    }

    /// Everything that is known about the host as such. Takes some
    /// milliseconds, more on hosts with hundreds of CPUs.
    pub fn facts(&self) -> Host {
        let live = self.calls();
        let machine = machine(self);
        let cpu = cpu::cpu(self);
        let caches = cache::caches(self);
        let topology = topology::topology(self, &caches);
        let memory = memory(self);
        let uname = |field: fn(&crate::live::Uname) -> &String| {
            live.uname.as_ref().map(|uname| field(uname).clone())
        };
        Host {
            id: id::host_id(self, &machine, &cpu, &topology, &caches, &memory),
            boot_id: self.line("/proc/sys/kernel/random/boot_id"),
            name: self
                .line("/proc/sys/kernel/hostname")
                .or_else(|| uname(|uname| &uname.name)),
            arch: uname(|uname| &uname.machine).or_else(|| self.line("/proc/sys/kernel/arch")),
            hypervisor: hypervisor::hypervisor(self, &machine),
            tlbs: live.cpuid.as_ref().and_then(tlb::tlbs),
            pages: pages(self),
            machine,
            cpu,
            topology,
            caches,
            memory,
        }
    }
}

/// From DMI, or where there is none, the device tree's model.
fn machine(root: &HostRoot) -> Machine {
    let dmi = |name: &str| root.line(&format!("/sys/class/dmi/id/{name}"));
    let firmware = ["bios_vendor", "bios_version", "bios_date"].map(dmi);
    let known: Vec<&str> = firmware
        .iter()
        .filter_map(Known::value)
        .map(String::as_str)
        .collect();
    let [first, ..] = &firmware;
    Machine {
        vendor: dmi("sys_vendor"),
        product: dmi("product_name").or_else(|| root.line("/proc/device-tree/model")),
        product_version: dmi("product_version"),
        board: dmi("board_name"),
        firmware: if known.is_empty() {
            first.clone()
        } else {
            Known::Is(known.join(" "))
        },
    }
}

fn memory(root: &HostRoot) -> Memory {
    let meminfo = Keyed::new("/proc/meminfo", root.text("/proc/meminfo"));
    let sysinfo = &root.calls().sysinfo;
    Memory {
        total_bytes: meminfo
            .bytes("MemTotal")
            .or_else(|| sysinfo.as_ref().map(|info| info.total_bytes)),
    }
}

fn pages(root: &HostRoot) -> Pages {
    let pools = root
        .names("/sys/kernel/mm/hugepages")
        .map(|names| {
            let mut sizes: Vec<u64> = names
                .iter()
                .filter_map(|name| size_bytes(name.strip_prefix("hugepages-")?))
                .collect();
            sizes.sort_unstable();
            sizes
        })
        .map_or_else(Known::unknown, Known::Is);
    let meminfo = Keyed::new("/proc/meminfo", root.text("/proc/meminfo"));
    Pages {
        base_bytes: root.calls().page_bytes.clone(),
        thp_bytes: root.value("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"),
        // Without `/sys`, the default pool's size is still in `/proc`.
        hugetlb_bytes: pools.or_else(|| meminfo.bytes("Hugepagesize").map(|size| vec![size])),
    }
}
