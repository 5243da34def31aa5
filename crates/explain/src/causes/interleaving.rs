//! Interleaving of memory over nodes or channels.

use crate::cause::Cause;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "interleaving",
    title: "interleaving of memory over nodes or channels",
    said: "interleav*; interleave=; channel interleave; bank interleave; node interleave; striped over nodes; \
        mpol_interleave; weighted interleave; die interleave; socket interleave; numa_interleave; channel hash; \
        memory hole; 2-way interleave; mpol_weighted_interleave; bankgroupswap; bank group swap; \
        imc interleave; -i all; interleave=all; weighted interleave by; weighted interleaving; uma distributed; \
        uma mode; ganged; unganged; round-robin domain; domainset_rr; domainset_interleave",
    reaches: Role::MEMORY,
    what: "Pages spread over nodes give all of them an equal part: bandwidth of all together grows, and a part of the latency becomes that of the far node.",
    advice: &["Compare `numactl --interleave=all` with `--localalloc`."],
    judge: |_| None,
    switch: None,
    plants: &[],
};
