//! Generated names of incidents: a time in seconds and a random suffix. Pure.

use loci_model::Timestamp;
use loci_model::ports::ids::{IdSource, letters_and_digits};

/// The length of the random suffix, in characters.
const RANDOM: usize = 6;

/// Returns a random suffix of lower-case letters and digits.
pub(crate) fn incident_random(ids: &dyn IdSource) -> String {
    letters_and_digits(ids, RANDOM).to_lowercase()
}

/// Returns the name: `incident_20261121_143052_k3x9qd`, in UTC.
pub(crate) fn incident_name(random: &str, now: Timestamp) -> String {
    format!("incident_{}_{random}", now.civil().strftime("%Y%m%d_%H%M%S"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use loci_testkit_ports::SeededIds;

    use super::*;

    #[test]
    fn a_thousand_of_one_second_are_a_thousand() {
        let (ids, now) = (SeededIds::new(1), Timestamp::parse("2026-11-21T14:30:52Z").unwrap());
        let names: BTreeSet<String> =
            (0..1_000).map(|_| incident_name(&incident_random(&ids), now)).collect();
        assert_eq!(names.len(), 1_000);
    }

    #[test]
    fn a_name_says_when() {
        let now = Timestamp::parse("2026-11-21T14:30:52Z").unwrap();
        assert_eq!(incident_name("k3x9qd", now), "incident_20261121_143052_k3x9qd");
    }
}
