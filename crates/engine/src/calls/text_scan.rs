//! Tests the texts of records with a caller's pattern, within one time limit for each call. The
//! tests run outside of transactions and on other threads than requests. An operation that
//! changes the matching records must test every text, so a call that exceeds the limit is an
//! error.

use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_model::record::Record;
use loci_model::{Error, Result, limits};

use crate::Engine;

/// A function that returns true if a text matches.
pub(crate) type TextTest = Arc<dyn Fn(&str) -> Result<bool> + Send + Sync>;

/// A test of texts, and the time that remains for it.
pub struct TextScan {
    test: TextTest,
    left_us: u64,
}

impl TextScan {
    /// Creates a scan that has the full time limit.
    pub fn new(test: TextTest) -> Self {
        Self { test, left_us: limits::PATTERN_TIME_US_MAX }
    }

    /// Returns one value for each list of texts: true if one of its texts matches.
    ///
    /// # Errors
    /// `Invalid` on `pattern` if the time limit is exceeded; errors of the test.
    pub async fn holds(&mut self, engine: &Engine, all: Vec<Vec<String>>) -> Result<Vec<bool>> {
        let (test, clock, left_us) = (Arc::clone(&self.test), Arc::clone(&engine.clock), self.left_us);
        let scanned = engine.caller_work.run(move || scan(&all, &test, clock.as_ref(), left_us));
        let (held, left_us) = scanned.await??;
        self.left_us = left_us;
        Ok(held)
    }
}

/// Returns the texts of a record that a scan tests.
pub fn texts_of(record: &Record) -> Vec<String> {
    std::iter::once(record.text.clone()).chain(record.title.clone()).collect()
}

fn scan(all: &[Vec<String>], test: &TextTest, clock: &dyn Clock, left_us: u64) -> Result<(Vec<bool>, u64)> {
    let began_us = clock.monotonic_us();
    let used_us = || clock.monotonic_us().saturating_sub(began_us);
    let mut held = Vec::with_capacity(all.len());
    for texts in all {
        let mut any = false;
        for text in texts {
            if used_us() > left_us {
                let rule = "pattern takes too much time for so many records: give a simpler one, or narrow \
                            the other conditions";
                return Err(Error::invalid("pattern", rule));
            }
            any = any || test(text)?;
        }
        held.push(any);
    }
    Ok((held, left_us.saturating_sub(used_us())))
}

#[cfg(test)]
mod tests {
    use loci_testkit_ports::TickingClock;

    use super::*;

    #[test]
    fn a_scan_ends_when_its_time_is_up() {
        let test: TextTest = Arc::new(|text: &str| Ok(text.contains('b')));
        let texts = |words: &[&str]| words.iter().map(|word| vec![(*word).to_owned()]).collect::<Vec<_>>();
        let check = |words: &[&str], seconds: u64, expect: Option<(Vec<bool>, u64)>| {
            let found = scan(&texts(words), &test, &TickingClock::new(1_000), seconds * 1_000_000).ok();
            assert_eq!(found.map(|(held, left)| (held, left / 1_000_000)), expect, "{words:?} {seconds}");
        };
        check(&["a", "ab"], 10, Some((vec![false, true], 7)));
        check(&["a", "b"], 2, Some((vec![false, true], 0)));
        check(&["a", "b"], 1, None);
        check(&[], 0, Some((Vec::new(), 0)));
    }
}
