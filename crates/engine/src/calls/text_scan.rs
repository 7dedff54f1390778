//! Texts of records in which a caller's words are looked for: outside of transactions, off the runtime's
//! threads, and within one time for a call. A verb that changes what it finds may leave nothing out, so more
//! work is an error.

use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_model::record::Record;
use loci_model::{Error, Result, limits};

use crate::Engine;

/// True for a text that is looked for.
pub(crate) type TextTest = Arc<dyn Fn(&str) -> Result<bool> + Send + Sync>;

/// A test, and the time that is left for it.
pub struct TextScan {
    test: TextTest,
    left_us: u64,
}

impl TextScan {
    /// A scan that has all of its time.
    pub fn new(test: TextTest) -> Self {
        Self { test, left_us: limits::PATTERN_TIME_US_MAX }
    }

    /// Returns, of several lists of texts, which have a text for which the test holds.
    ///
    /// # Errors
    /// `Invalid` on `pattern` where the time is up; errors of the test.
    pub async fn holds(&mut self, engine: &Engine, all: Vec<Vec<String>>) -> Result<Vec<bool>> {
        let (test, clock, left_us) = (Arc::clone(&self.test), Arc::clone(&engine.clock), self.left_us);
        let scanned = engine.caller_work.run(move || scan(&all, &test, clock.as_ref(), left_us));
        let (held, left_us) = scanned.await??;
        self.left_us = left_us;
        Ok(held)
    }
}

/// The texts of a record in which words are looked for.
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
