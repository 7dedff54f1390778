//! `loci`: one process, one command. What a command does is in `commands` of the library.

fn main() -> std::process::ExitCode {
    loci_app::process::run()
}
