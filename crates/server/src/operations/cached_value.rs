//! A value that is computed at most once per period. Callers in between get the last one, unless it
//! is too old, so that the last result does not hide a computation that hangs.

use std::sync::{Mutex, PoisonError};

/// The number of periods after which a value is no longer returned.
const PERIODS_MAX: u64 = 3;

/// The last value, with the times of its computation.
#[derive(Debug)]
pub struct CachedValue<T>(Mutex<Option<CachedResult<T>>>);

#[derive(Debug)]
struct CachedResult<T> {
    value: T,
    /// The monotonic time, in microseconds, at which the computation of the value began.
    found_us: u64,
    /// The monotonic time, in microseconds, at which the latest computation began.
    begun_us: u64,
}

impl<T> Default for CachedValue<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> CachedValue<T> {
    /// Returns the value if it is younger than `ms`, else the result of `work`. Callers during the
    /// work get the old value until it is three periods old. The very first callers, and those for
    /// whom the old value is too old, may run `work` concurrently.
    pub async fn get(&self, now_us: u64, ms: u64, work: impl Future<Output = T>) -> T {
        let period_us = ms.saturating_mul(1000);
        let is_within = |at_us: u64, us: u64| now_us.saturating_sub(at_us) < us;
        if let Some(known) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let is_fresh = is_within(known.found_us, period_us.saturating_mul(PERIODS_MAX));
            if is_fresh && is_within(known.begun_us, period_us) {
                return known.value.clone();
            }
            known.begun_us = known.begun_us.max(now_us);
        }
        let value = work.await;
        let known = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The computation that began later takes precedence.
        if known.as_ref().is_none_or(|known| known.found_us <= now_us) {
            let begun_us = known.as_ref().map_or(now_us, |known| known.begun_us.max(now_us));
            *known = Some(CachedResult { value: value.clone(), found_us: now_us, begun_us });
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures::FutureExt;

    use super::*;

    #[test]
    fn it_is_found_out_at_most_so_often() {
        let (kept, runs) = (CachedValue::default(), Cell::new(0));
        let at = |ms: u64| {
            let work = async {
                runs.set(runs.get() + 1);
                runs.get()
            };
            kept.get(ms * 1000, 10, work).now_or_never().unwrap()
        };
        assert_eq!([at(5), at(5), at(14), at(15), at(24), at(25)], [1, 1, 1, 2, 2, 3]);
        // A call during the work gets the old value.
        let mut slow = Box::pin(kept.get(36_000, 10, std::future::pending()));
        assert!((&mut slow).now_or_never().is_none());
        assert_eq!(at(37), 3);
        drop(slow);
        assert_eq!(at(46), 4);
    }

    #[test]
    fn work_that_hangs_is_not_hidden_for_long() {
        let kept = CachedValue::default();
        let hangs = |ms: u64| kept.get(ms * 1000, 10, std::future::pending()).now_or_never().is_none();
        assert_eq!(kept.get(0, 10, std::future::ready(1)).now_or_never(), Some(1));
        // Each period one caller runs the work, and the others get the old value, for this long.
        let hung: Vec<u64> = (0..60).filter(|ms| hangs(*ms)).collect();
        assert_eq!(hung, [&[10, 20][..], &(30..60).collect::<Vec<_>>()].concat());
    }

    #[test]
    fn what_began_later_is_kept() {
        let kept = CachedValue::default();
        let (late, result) = futures::channel::oneshot::channel();
        let mut first = Box::pin(kept.get(1_000, 10, async { result.await.unwrap() }));
        assert!((&mut first).now_or_never().is_none());
        assert_eq!(kept.get(2_000, 10, std::future::ready(2)).now_or_never(), Some(2));
        late.send(1).unwrap();
        assert_eq!(first.now_or_never(), Some(1));
        assert_eq!(kept.get(3_000, 10, std::future::pending()).now_or_never(), Some(2));
    }
}
