//! Processor time of a process and of the children it has waited for, from `/proc`. Other systems
//! than Linux report none.

use std::time::Duration;

/// The ticks per second in `/proc`, which are the same for all programs on Linux.
const TICKS_PER_SECOND: u64 = 100;
/// The positions of `utime`, `stime`, `cutime` and `cstime`, counted after the name of the program.
const TIMES: std::ops::Range<usize> = 11..15;

/// Returns the processor time of a process and of the children it has waited for.
pub(crate) fn of_process(process: u32) -> Option<Duration> {
    parse(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Returns the processor time of this process and of the children it has waited for.
pub(crate) fn of_this_process() -> Option<Duration> {
    of_process(std::process::id())
}

fn parse(line: &str) -> Option<Duration> {
    // The name may contain any character, so the fields are counted from its closing parenthesis.
    let fields: Vec<&str> = line.get(line.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    let ticks = fields.get(TIMES)?.iter().map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_are_part_of_it() {
        let line = "7 (a) b) S 1 7 7 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 1 0 5 6 7";
        assert_eq!(parse(line), Some(Duration::from_millis(1100)));
        assert_eq!(parse("7 (a) S 1"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_a_time() {
        assert!(of_this_process().is_some());
        assert_eq!(of_process(u32::MAX), None);
    }
}
