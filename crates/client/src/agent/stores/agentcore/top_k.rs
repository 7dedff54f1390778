//! The number of records to request from AgentCore: more than the caller wants if a minimum score
//! may drop some, and never more than one response contains.

use super::limits::AGENTCORE_TOP_K_MAX;

/// The minimum score of returned entries, and the factor by which more records are requested
/// because of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoreCut {
    pub(super) score_min: f64,
    pub(super) over_fetch_factor: f64,
}

/// Returns the number of records to request. The flag is true if it is lower than `wanted`, because
/// of AgentCore's limit.
pub(super) fn top_k(wanted: u32, cut: Option<ScoreCut>) -> (u32, bool) {
    let Some(cut) = cut else { return (wanted.min(AGENTCORE_TOP_K_MAX), wanted > AGENTCORE_TOP_K_MAX) };
    let asked = (f64::from(wanted) * cut.over_fetch_factor).ceil();
    // Searches for the smallest whole number that reaches the product, because a conversion could
    // wrap or truncate.
    let asked = (1..=AGENTCORE_TOP_K_MAX).find(|&number| f64::from(number) >= asked);
    (asked.unwrap_or(AGENTCORE_TOP_K_MAX), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_are_asked_for() {
        let check = |wanted: u32, factor: Option<f64>, expect: (u32, bool)| {
            let cut = factor.map(|over_fetch_factor| ScoreCut { score_min: 0.3, over_fetch_factor });
            assert_eq!(top_k(wanted, cut), expect, "{wanted} {factor:?}");
        };
        check(5, None, (5, false));
        check(100, None, (100, false));
        check(101, None, (100, true));
        check(5, Some(1.5), (8, false));
        check(5, Some(4.0), (20, false));
        check(5, Some(1.0), (5, false));
        check(30, Some(4.0), (100, false));
        check(1, Some(f64::MAX), (100, false));
    }
}
