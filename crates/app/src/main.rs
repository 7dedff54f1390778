//! `loci`: one process, one command. What a command does is in `commands` of the library.

/// Indexes are made of many small pieces, by several threads at once: see decision 0066.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    loci_app::process::run()
}
