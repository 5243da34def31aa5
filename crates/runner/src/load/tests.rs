//! What the tests of this module share.

use super::*;

/// A request without a command.
pub(super) fn request() -> LoadRequest {
    LoadRequest {
        commands: Vec::new(),
        levels: Vec::new(),
        parameters: Vec::new(),
        shell: None,
        repeat: 1,
        warmup: 0,
        hooks: Hooks::default(),
        tolerate: Tolerate::Nothing,
        timeout: None,
        budget: None,
        input: None,
        output: CommandOutput::Null,
        seed: 1,
        target: Target::FirstOf(Vec::new()),
        version: "0".into(),
        build: Build {
            arch: String::new(),
            libc: String::new(),
            profile: String::new(),
            kernels: String::new(),
        },
        stop: Arc::default(),
    }
}
