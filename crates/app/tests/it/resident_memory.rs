//! Memory of an idle process: the anonymous part, which no other process shares. Pages of the
//! program depend on the build. `BENCHMARKS.md` contains the total of a release.

#![cfg(target_os = "linux")]

use crate::mcp_stdio::Speaking;
use crate::program::Home;

/// A debug build uses 14 MiB, six of them for relocated addresses. It was 52 MiB with huge pages,
/// and 36 MiB with the API's description.
const ANONYMOUS_KIB_MAX: u64 = 22 << 10;
/// Each thread has a stack and a heap arena, so the number of threads is fixed on each machine.
const TWO_WORKERS: [(&str, &str); 1] = [("TOKIO_WORKER_THREADS", "2")];

/// Returns the anonymous memory of a process.
fn anonymous_kib(process: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Anonymous:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn an_idle_process_keeps_little() {
    let home = Home::new();
    let server = home.serve_with(&[], &TWO_WORKERS);
    home.ok(&["memory", "create", "notes"]);
    let kept = anonymous_kib(server.id());
    assert!(kept <= ANONYMOUS_KIB_MAX, "a server keeps {kept} KiB");

    // A process on the folder of the server, with its own engine.
    let mut beside =
        Speaking::start(home.command(&["mcp", "--no-attach", "--memory", "notes"]), &TWO_WORKERS);
    beside.ask("ping", serde_json::json!({}));
    let kept = anonymous_kib(beside.id());
    assert!(kept <= ANONYMOUS_KIB_MAX, "a process beside it keeps {kept} KiB");
    assert!(beside.ends() && server.stop());
}
