//! `loci`: one process, one command. `commands` of the library implements the commands.

/// The allocator. Indexes consist of many small allocations by several concurrent threads: see
/// decision 0066.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    loci_app::process::run()
}
