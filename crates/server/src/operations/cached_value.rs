//! A value that is computed at most once per period; callers in between get the last one.

use std::sync::{Mutex, PoisonError};

/// The last value, and the time of its computation.
#[derive(Debug)]
pub struct CachedValue<T>(Mutex<Option<(u64, T)>>);

impl<T> Default for CachedValue<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> CachedValue<T> {
    /// Returns the value of less than `ms` ago, else the result of `work`. Callers that come during the work
    /// get the old value; only the very first callers may run `work` at the same time.
    pub async fn get(&self, now_us: u64, ms: u64, work: impl Future<Output = T>) -> T {
        if let Some((at_us, known)) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            if now_us.saturating_sub(*at_us) < ms.saturating_mul(1000) {
                return known.clone();
            }
            *at_us = now_us;
        }
        let found = work.await;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now_us, found.clone()));
        found
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
        let mut slow = Box::pin(kept.get(40_000, 10, std::future::pending()));
        assert!((&mut slow).now_or_never().is_none());
        assert_eq!(at(41), 3);
        drop(slow);
        assert_eq!(at(50), 4);
    }
}
