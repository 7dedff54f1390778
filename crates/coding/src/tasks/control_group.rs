//! The memory arm of a task: assigned once, by a digest that is constant for the task, so that
//! neither time nor load affects the control group. Pure.

use loci_model::TaskId;
use loci_model::tasks::task::MemoryArm;
use sha2::{Digest, Sha256};

use crate::settings::ControlArms;

/// Returns the arm of a task. `of` is its repository, or its actor without one.
pub(super) fn dealt(control: &ControlArms, of: &str, task: &TaskId) -> MemoryArm {
    let place = place(&control.salt, of, task);
    let shares = [
        (control.off, MemoryArm::Off),
        (control.tier1, MemoryArm::Tier1),
        (control.tier2, MemoryArm::Tier2),
        (control.tier3, MemoryArm::Tier3),
    ];
    let mut end = 0.0;
    for (share, arm) in shares {
        end += share;
        if place < end {
            return arm;
        }
    }
    MemoryArm::On
}

/// Returns a number from 0 to just below 1, uniformly distributed over tasks.
fn place(salt: &str, of: &str, task: &TaskId) -> f64 {
    let mut hasher = Sha256::new();
    // A separator, so that parts with different boundaries have different digests.
    for part in [salt, of, task.as_str()] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    // The number of bits that a double can represent exactly.
    let bits = hasher.finalize().iter().take(6).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    bits as f64 / (1_u64 << 48) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(control: &ControlArms) -> [usize; 5] {
        let mut counts = [0; 5];
        for number in 0..10_000 {
            let task = TaskId::parse(format!("t-{number}")).unwrap();
            let arm = dealt(control, "repo-1", &task);
            assert_eq!(arm, dealt(control, "repo-1", &task), "the same task, the same arm");
            counts[MemoryArm::ALL.iter().position(|one| *one == arm).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn shares_are_kept() {
        assert_eq!(counted(&ControlArms::default()), [10_000, 0, 0, 0, 0]);
        assert_eq!(counted(&ControlArms { off: 1.0, ..ControlArms::default() }), [0, 10_000, 0, 0, 0]);
        let control = ControlArms { off: 0.1, tier1: 0.2, tier3: 0.3, ..ControlArms::default() };
        let near = |count: usize, expect: usize| assert!(count.abs_diff(expect) < 200, "{count} {expect}");
        let [on, off, tier1, tier2, tier3] = counted(&control);
        near(on, 4_000);
        near(off, 1_000);
        near(tier1, 2_000);
        near(tier3, 3_000);
        assert_eq!(tier2, 0);
    }

    #[test]
    fn another_salt_or_repository_deals_anew() {
        let task = TaskId::parse("t-1").unwrap();
        assert!(place("a", "r", &task) != place("b", "r", &task));
        assert!(place("a", "r", &task) != place("a", "s", &task));
        assert!(place("ab", "c", &task) != place("a", "bc", &task), "parts do not run together");
    }
}
