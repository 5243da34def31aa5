//! What only buying, flashing or rebooting can change.

use whyslow_model::host::{Cache, CacheKind, CoreKind, Host, Known, Node, Tlb};

use super::words::{bytes, cpus, groups, inner, list, same, yes_no};
use super::{fact, plain};
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;

pub(crate) fn sections(host: &Host, page: &mut Screen) {
    page.heading("MACHINE", "");
    fact(page, "name", &host.name, same);
    plain(
        page,
        "host id",
        format!("{} (from {})", host.id.id, host.id.basis.join(", ")),
    );
    fact(page, "boot id", &host.boot_id, same);
    fact(page, "architecture", &host.arch, same);
    fact(page, "vendor", &host.machine.vendor, same);
    fact(page, "product", &host.machine.product, same);
    fact(page, "product version", &host.machine.product_version, same);
    fact(page, "board", &host.machine.board, same);
    fact(page, "firmware", &host.machine.firmware, same);
    fact(page, "guest", &host.hypervisor.guest, yes_no);
    fact(page, "hypervisor", &host.hypervisor.name, same);
    if !host.hypervisor.evidence.is_empty() {
        plain(page, "evidence", host.hypervisor.evidence.join(", "));
    }
    fact(page, "container", &host.hypervisor.container, same);
    fact(page, "memory", &host.memory.total_bytes, bytes);
    processors(host, page);
    caches(host, page);
}

fn processors(host: &Host, page: &mut Screen) {
    page.heading("PROCESSORS", "");
    match &host.cpu.kinds {
        Known::Is(kinds) => kinds.iter().for_each(|kind| core_kind(kind, page)),
        Known::Unknown(why) => page.field(
            0,
            super::NAMES,
            "kinds",
            Text::dim(format!("unknown: {}", why.unknown)),
        ),
    }
    let topology = &host.topology;
    fact(page, "topology from", &topology.source, same);
    fact(page, "present", &topology.present, cpus);
    fact(page, "online", &topology.online, cpus);
    fact(page, "packages", &topology.packages, |sets| groups(sets));
    fact(page, "last-level caches", &topology.llcs, |sets| {
        groups(sets)
    });
    fact(page, "threads a core", &topology.threads_per_core, same);
    match &topology.nodes {
        Known::Is(nodes) => nodes.iter().for_each(|node| memory_node(node, page)),
        Known::Unknown(why) => page.field(
            0,
            super::NAMES,
            "nodes",
            Text::dim(format!("unknown: {}", why.unknown)),
        ),
    }
    fact(
        page,
        "physical address",
        &host.cpu.physical_address_bits,
        |bits| format!("{bits} bits"),
    );
    fact(
        page,
        "virtual address",
        &host.cpu.virtual_address_bits,
        |bits| format!("{bits} bits"),
    );
    fact(page, "bugs", &host.cpu.bugs, |bugs| list(bugs));
    fact(page, "features", &host.cpu.features, |features| {
        list(features)
    });
}

fn core_kind(kind: &CoreKind, page: &mut Screen) {
    let number = |known: &Known<u32>| inner(known, same);
    let text = format!(
        "{} ({}), family {}, model {}, stepping {}, microcode {}; {}",
        inner(&kind.name, |n| n.trim().to_owned()),
        inner(&kind.vendor, same),
        number(&kind.family),
        number(&kind.model),
        number(&kind.stepping),
        inner(&kind.microcode, same),
        cpus(&kind.cpus),
    );
    plain(page, "core", text);
}

fn memory_node(node: &Node, page: &mut Screen) {
    let distances = inner(&node.distances, |d| {
        d.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
    });
    let text = format!(
        "{}; {}; distances {distances}",
        inner(&node.memory_bytes, bytes),
        inner(&node.cpus, |set| match cpus(set) {
            none if none.is_empty() => "no CPUs".to_owned(),
            some => some,
        })
    );
    plain(page, &format!("node {}", node.node), text);
}

fn caches(host: &Host, page: &mut Screen) {
    page.heading("CACHES AND PAGES", "as claimed");
    match &host.caches {
        Known::Is(caches) => caches
            .iter()
            .for_each(|c| plain(page, &cache_name(c), cache(c))),
        Known::Unknown(why) => page.field(
            0,
            super::NAMES,
            "caches",
            Text::dim(format!("unknown: {}", why.unknown)),
        ),
    }
    match &host.tlbs {
        Known::Is(tlbs) => tlbs
            .iter()
            .for_each(|t| plain(page, &format!("TLB {} {}", t.level, kind(t.kind)), tlb(t))),
        Known::Unknown(why) => page.field(
            0,
            super::NAMES,
            "TLBs",
            Text::dim(format!("unknown: {}", why.unknown)),
        ),
    }
    fact(page, "page", &host.pages.base_bytes, bytes);
    fact(page, "huge page (THP)", &host.pages.thp_bytes, bytes);
    fact(page, "hugetlb sizes", &host.pages.hugetlb_bytes, |sizes| {
        sizes.iter().map(bytes).collect::<Vec<_>>().join(", ")
    });
}

fn kind(kind: CacheKind) -> &'static str {
    match kind {
        CacheKind::Data => "data",
        CacheKind::Instruction => "instruction",
        CacheKind::Unified => "unified",
    }
}

fn cache_name(cache: &Cache) -> String {
    format!("L{} {}", cache.level, kind(cache.kind))
}

fn cache(cache: &Cache) -> String {
    let mut parts = vec![inner(&cache.size_bytes, bytes)];
    let mut add =
        |known: &Known<u32>, what: &str| parts.extend(known.value().map(|v| format!("{v}{what}")));
    add(&cache.ways, " ways");
    add(&cache.sets, " sets");
    add(&cache.line_bytes, " B lines");
    parts.extend(cache.shared.value().map(|sets| {
        format!(
            "{} of them: {}",
            sets.len(),
            groups(sets)
                .split_once(": ")
                .map_or(String::new(), |(_, s)| s.to_owned())
        )
    }));
    parts.extend(
        cache
            .inclusive
            .value()
            .map(|i| if *i { "inclusive" } else { "not inclusive" }.to_owned()),
    );
    format!("{} ({})", parts.join(", "), cache.source)
}

fn tlb(tlb: &Tlb) -> String {
    let pages = tlb
        .page_bytes
        .iter()
        .map(|b| numbers::size(*b))
        .collect::<Vec<_>>()
        .join(" and ");
    let entries = match &tlb.entries {
        Known::Is(entries) => format!("{entries} entries"),
        Known::Unknown(why) => format!("entries unknown: {}", why.unknown),
    };
    let ways = tlb
        .ways
        .value()
        .map_or(String::new(), |ways| match tlb.entries.value() {
            Some(entries) if entries == ways => ", fully associative".to_owned(),
            _ => format!(", {ways} ways"),
        });
    format!("{pages} pages, {entries}{ways} ({})", tlb.source)
}
