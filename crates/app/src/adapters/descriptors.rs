//! File descriptors of this process. The limit is raised as far as the system permits, and
//! connections leave enough descriptors to the store, to git and to outgoing calls.

use loci_model::limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The requested limit of open files: more than the process needs, and the default maximum of
/// Linux.
const WANTED_MAX: u64 = 1 << 20;
/// The limit of open files to request on systems that report an unlimited number but grant fewer.
const UNLIMITED: u64 = 10_240;

/// Raises the soft limit of open files to the hard limit. Returns the number of descriptors that is
/// then in force.
pub fn raise_descriptors() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let soft = limit.current.unwrap_or(WANTED_MAX);
    let wanted = limit.maximum.unwrap_or(WANTED_MAX).min(WANTED_MAX);
    for wanted in [wanted, wanted.min(UNLIMITED)] {
        if wanted <= soft {
            return soft;
        }
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => return wanted,
            Err(error) => tracing::warn!(%error, wanted, "the limit of open files could not be raised"),
        }
    }
    soft
}

/// Returns the number of connections for each listener: `wanted`, or fewer if the descriptors do
/// not suffice.
pub fn connections_within(descriptors: u64, listeners: u64, wanted: usize) -> usize {
    let listeners = listeners.max(1);
    let others = limits::DESCRIPTORS_RESERVED
        + limits::SOCKET_CONNECTIONS_MAX as u64
        + listeners * (limits::HEALTH_CONNECTIONS_MAX + limits::LATE_CONNECTIONS_MAX) as u64;
    let left = descriptors - others.min(descriptors / 2);
    wanted.min(usize::try_from(left / listeners).unwrap_or(usize::MAX)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_to_all_else() {
        let check = |descriptors: u64, listeners: u64, wanted: usize, expect: usize| {
            let found = connections_within(descriptors, listeners, wanted);
            assert_eq!(found, expect, "{descriptors} {listeners} {wanted}");
        };
        check(1 << 20, 1, 1024, 1024);
        check(1 << 20, 2, 1024, 1024);
        check(1616, 1, 1024, 1024);
        check(1615, 1, 1024, 1023);
        check(1024, 1, 1024, 512);
        check(1024, 2, 1024, 256);
        check(256, 1, 1024, 128);
        check(1024, 1, 100, 100);
        check(0, 1, 1024, 1);
    }

    #[test]
    fn the_limit_is_raised_to_what_the_system_allows() {
        let raised = raise_descriptors();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current.unwrap_or(WANTED_MAX), raised);
        assert!(limit.maximum.is_none_or(|hard| raised >= hard.min(UNLIMITED)), "{raised} {limit:?}");
    }
}
