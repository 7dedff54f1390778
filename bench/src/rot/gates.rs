//! The gates: limits for pooled rates, and for those of each window that has enough items. Small
//! windows of one repository are merged until they have enough.

use serde::Serialize;

use super::rate::Rate;
use super::score::Counts;

const POOLED_DETECTION: f64 = 0.98;
const POOLED_FALSE_ALARMS: f64 = 0.005;
const WINDOW_DETECTION: f64 = 0.95;
const WINDOW_FALSE_ALARMS: f64 = 0.02;
const LOWER_BOUND: f64 = 0.95;
const YOUDEN: f64 = 0.9;
/// The minimum number of items of a rate that is judged separately.
const ITEMS_MIN: usize = 100;

/// One gate.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Gate {
    pub(super) name: String,
    pub(super) value: Option<f64>,
    pub(super) limit: f64,
    pub(super) passed: bool,
}

/// A window with the names of its repository and of itself.
pub(super) struct NamedWindow<'a> {
    pub(super) repository: &'a str,
    pub(super) window: &'a str,
    pub(super) counts: &'a Counts,
}

/// Returns all gates over these windows and their pool.
pub(super) fn gates(windows: &[NamedWindow<'_>], pool: &Counts) -> Vec<Gate> {
    let at_least = |name: String, value: Option<f64>, limit| Gate {
        name,
        value,
        limit,
        passed: value.is_some_and(|value| value >= limit),
    };
    let at_most = |name: String, value: Option<f64>, limit| Gate {
        name,
        value,
        limit,
        passed: value.is_some_and(|value| value <= limit),
    };
    let lower = pool.all.detection.share().map(|_| pool.all.detection.bounds().0);
    let youden = pool.youden();
    let mut all = vec![
        at_least("pooled detection".to_owned(), pool.all.detection.share(), POOLED_DETECTION),
        at_most("pooled false alarms".to_owned(), pool.all.false_alarms.share(), POOLED_FALSE_ALARMS),
        at_least("pooled detection, lower bound".to_owned(), lower, LOWER_BOUND),
        Gate {
            passed: youden.is_some_and(|j| j > YOUDEN),
            ..at_least("Youden J".to_owned(), youden, YOUDEN)
        },
    ];
    for (name, rate) in merged(windows, |counts| counts.all.detection) {
        all.push(at_least(format!("detection, {name}"), rate.share(), WINDOW_DETECTION));
    }
    for (name, rate) in merged(windows, |counts| counts.all.false_alarms) {
        all.push(at_most(format!("false alarms, {name}"), rate.share(), WINDOW_FALSE_ALARMS));
    }
    all
}

/// Returns rates with enough items: single windows, or merged small ones of one repository. Rates
/// that remain too small are left out.
fn merged(windows: &[NamedWindow<'_>], rate: fn(&Counts) -> Rate) -> Vec<(String, Rate)> {
    let mut done = Vec::new();
    let mut open: Vec<(&str, String, Rate)> = Vec::new();
    for window in windows {
        let here = rate(window.counts);
        if here.of >= ITEMS_MIN {
            done.push((format!("{} {}", window.repository, window.window), here));
            continue;
        }
        let slot = match open.iter().position(|(repository, _, _)| *repository == window.repository) {
            Some(slot) => slot,
            None => {
                open.push((window.repository, window.repository.to_owned(), Rate::default()));
                open.len() - 1
            }
        };
        let Some((_, name, together)) = open.get_mut(slot) else { continue };
        name.push_str(if together.of == 0 { " " } else { " + " });
        name.push_str(window.window);
        *together = together.and(here);
        if together.of >= ITEMS_MIN {
            let (_, name, together) = open.swap_remove(slot);
            done.push((name, together));
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::super::score::ClassRates;
    use super::*;

    fn counts(missed: usize, absent: usize, alarms: usize, present: usize) -> Counts {
        let all = ClassRates {
            detection: Rate { hits: absent - missed, of: absent },
            false_alarms: Rate { hits: alarms, of: present },
        };
        Counts { all, ..Counts::default() }
    }

    #[test]
    fn small_windows_of_a_repository_are_put_together() {
        let (small, large) = (counts(1, 60, 0, 1000), counts(0, 500, 1, 1000));
        let window = |repository, window, counts| NamedWindow { repository, window, counts };
        let windows = [
            window("a", "1", &small),
            window("b", "1", &small),
            window("a", "2", &large),
            window("a", "3", &small),
        ];
        let names: Vec<String> =
            merged(&windows, |counts| counts.all.detection).into_iter().map(|(n, _)| n).collect();
        assert_eq!(names, ["a 2", "a 1 + 3"]);
    }

    #[test]
    fn a_gate_fails_where_it_should() {
        let check = |counts: Counts, failing: &[&str]| {
            let windows = [NamedWindow { repository: "a", window: "w", counts: &counts }];
            let failed: Vec<String> = gates(&windows, &counts)
                .into_iter()
                .filter(|gate| !gate.passed)
                .map(|gate| gate.name)
                .collect();
            assert_eq!(failed, failing);
        };
        check(counts(0, 1000, 0, 1000), &[]);
        check(counts(30, 1000, 6, 1000), &["pooled detection", "pooled false alarms"]);
        check(counts(0, 1000, 25, 1000), &["pooled false alarms", "false alarms, a w"]);
        // A verdict that is always equal.
        check(counts(0, 1000, 1000, 1000), &["pooled false alarms", "Youden J", "false alarms, a w"]);
        check(counts(0, 0, 0, 1000), &["pooled detection", "pooled detection, lower bound", "Youden J"]);
    }
}
