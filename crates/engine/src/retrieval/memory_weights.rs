//! The ranking weights of memories that have their own. They are parsed once after each change of
//! the setting and cached. `weights` defines them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::MemoryId;

use super::weights::Weights;

/// The maximum number of memories whose weights are cached, each about one kilobyte. When there
/// are more, the cache is emptied.
const MEMORIES_MAX: usize = 256;

/// The parsed ranking weights of each memory that has its own.
#[derive(Debug, Default)]
pub(crate) struct OwnWeights {
    read: Mutex<HashMap<MemoryId, ParsedWeights>>,
}

/// The text of a memory's setting and its parsed weights; `None` if the setting does not fit the
/// signals of this version.
#[derive(Debug)]
struct ParsedWeights {
    setting: String,
    weights: Option<Arc<Weights>>,
}

impl OwnWeights {
    /// Returns the ranking weights of a memory that has its own; `None` if the shipped weights
    /// apply. Weights for the signals of another version are not used: the log reports this once,
    /// and the response of each search warns of it.
    pub(super) fn of(&self, memory: &MemoryId, setting: Option<&str>) -> Option<Arc<Weights>> {
        let setting = setting?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(memory).filter(|known| known.setting == setting) {
            return known.weights.clone();
        }
        let weights = match Weights::parse(setting) {
            Ok(weights) => Some(Arc::new(weights)),
            Err(error) => {
                let remedy = "train a set for this version, or take the setting away";
                tracing::warn!(%memory, %error, remedy, "retrieval_weights of a memory do not fit this version: the shipped ones hold");
                None
            }
        };
        if read.len() >= MEMORIES_MAX {
            read.clear();
        }
        let known = ParsedWeights { setting: setting.to_owned(), weights: weights.clone() };
        read.insert(memory.clone(), known);
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_read_once_per_change() {
        let shipped = include_str!("weights.json");
        let other = shipped.replacen("\"phrase\": ", "\"phrase\": 7", 1);
        let (own, memory) = (OwnWeights::default(), MemoryId::parse("notes-0123456789").unwrap());
        assert!(own.of(&memory, None).is_none());
        let first = own.of(&memory, Some(shipped)).unwrap();
        assert!(Arc::ptr_eq(&first, &own.of(&memory, Some(shipped)).unwrap()), "not read again");
        let changed = own.of(&memory, Some(&other)).unwrap();
        assert_ne!(first.signals, changed.signals);
        assert!(Arc::ptr_eq(&changed, &own.of(&memory, Some(&other)).unwrap()));
        // An unfit setting is cached as such, so that searches do not parse and log it each time.
        let misfit = shipped.replacen("\"phrase\"", "\"phrases\"", 1);
        assert!(own.of(&memory, Some(&misfit)).is_none());
        assert_eq!(own.read.lock().unwrap()[&memory].setting, misfit);
        assert!(own.of(&memory, Some(&misfit)).is_none());
    }

    #[test]
    fn no_more_are_kept_than_that() {
        let own = OwnWeights::default();
        for number in 0..MEMORIES_MAX + 3 {
            let memory = MemoryId::parse(format!("notes-{number:010}")).unwrap();
            assert!(own.of(&memory, Some("{}")).is_none());
        }
        assert_eq!(own.read.lock().unwrap().len(), 3);
    }
}
