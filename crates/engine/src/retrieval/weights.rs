//! The numbers of the ranking, which are read once from `weights.json`: the weights of signals,
//! the calibration, and the thresholds of near-duplicates.
//!
//! One set for every kind of memory. `signals` defines the signals, `loci_text` the constants of
//! BM25 and of dates. Decision 0027 describes the training.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use loci_model::{Error, Result};
use serde::Deserialize;

use super::signals::{SIGNAL_COUNT, SIGNALS};

/// The contents of `weights.json` as shipped.
const SHIPPED: &str = include_str!("weights.json");

/// The numbers that convert a score to a relevance.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The factor of the score.
    pub slope: f64,
    /// The constant that is added.
    pub intercept: f64,
    /// The number that is added to the score if the query has no vector.
    pub offset_without_vectors: f64,
}

/// The thresholds at which two hits count as near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearDuplicate {
    /// The minimum Jaccard similarity of the two sets of terms.
    pub jaccard: f32,
    /// The minimum cosine of the two vectors.
    pub cosine: f32,
}

/// The numbers of the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The weight of each signal, in the order of [`SIGNALS`].
    pub signals: [f64; SIGNAL_COUNT],
    /// The scale of lexical scores: they are divided by this number times the idf of a term that
    /// one turn contains.
    pub lexical_scale: f32,
    /// The numbers that convert a score to a relevance.
    pub calibration: Calibration,
    /// The thresholds at which two hits count as near-duplicates.
    pub near_duplicate: NearDuplicate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// A description of the training for readers of the file; it is not used.
    #[serde(rename = "provenance")]
    _provenance: String,
    weights: BTreeMap<String, f64>,
    lexical_scale: f32,
    calibration: Calibration,
    near_duplicate: NearDuplicate,
}

impl Weights {
    /// Returns the weights that the program contains.
    pub fn shipped() -> Result<&'static Self> {
        static READ: LazyLock<Result<Weights, String>> = LazyLock::new(|| {
            Weights::parse(SHIPPED).map_err(|error| format!("the weights in the binary: {error}"))
        });
        READ.as_ref().map_err(|reason| Error::bug(reason.clone()))
    }

    /// Parses weights in the form of `weights.json`. Every name must be a signal, all numbers are
    /// finite, and a higher score must not have a lower relevance. A signal without a weight has
    /// weight 0.
    pub fn parse(json: &str) -> Result<Self> {
        Self::read(json, false)
    }

    /// Parses weights that a caller sets: like [`Weights::parse`], but every signal must have one.
    pub fn parse_whole(json: &str) -> Result<Self> {
        Self::read(json, true)
    }

    fn read(json: &str, is_whole: bool) -> Result<Self> {
        let bad = |reason: String| Error::invalid("weights", reason);
        let mut file: File = loci_json::from_str(json).map_err(|error| bad(error.to_string()))?;
        let mut signals = [0.0; SIGNAL_COUNT];
        for (slot, signal) in signals.iter_mut().zip(SIGNALS) {
            let weight = file.weights.remove(signal.name);
            if is_whole && weight.is_none() {
                return Err(bad(format!("the signal {} has no weight", signal.name)));
            }
            *slot = weight.unwrap_or_default();
        }
        if let Some(name) = file.weights.keys().next() {
            return Err(bad(format!("there is no signal {name}")));
        }
        let calibration = file.calibration;
        let weights = SIGNALS.iter().zip(signals).map(|(signal, weight)| (signal.name, weight, f64::MIN));
        let others = [
            ("calibration.slope", calibration.slope, f64::MIN_POSITIVE),
            ("calibration.intercept", calibration.intercept, f64::MIN),
            ("calibration.offset_without_vectors", calibration.offset_without_vectors, f64::MIN),
            ("lexical_scale", f64::from(file.lexical_scale), f64::MIN_POSITIVE),
            ("near_duplicate.jaccard", f64::from(file.near_duplicate.jaccard), f64::MIN),
            ("near_duplicate.cosine", f64::from(file.near_duplicate.cosine), f64::MIN),
        ];
        for (name, number, least) in weights.chain(others) {
            if !number.is_finite() || number < least {
                let rule = if least > 0.0 { "finite and above 0" } else { "finite" };
                return Err(bad(format!("{name} is out of range: it must be {rule}")));
            }
        }
        Ok(Self {
            signals,
            lexical_scale: file.lexical_scale,
            calibration,
            near_duplicate: file.near_duplicate,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_valid() {
        let weights = Weights::shipped().unwrap();
        assert_eq!(weights.signals[6], 6.66);
        assert_eq!(weights.calibration.slope, 0.662);
    }

    #[test]
    fn a_signal_without_a_weight_weighs_nothing() {
        let at = SIGNALS.iter().position(|signal| signal.name == "phrase").unwrap();
        let without = Weights::parse(&SHIPPED.replacen("\"phrase\": 1.26,", "", 1)).unwrap();
        assert_eq!((Weights::shipped().unwrap().signals[at], without.signals[at]), (1.26, 0.0));
        assert!(Weights::parse_whole(SHIPPED).is_ok());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |from: &str, to: &str, expect: &str| {
            assert!(SHIPPED.contains(from), "{from}");
            let error = Weights::parse_whole(&SHIPPED.replacen(from, to, 1)).unwrap_err();
            assert!(error.message.contains(expect), "{}", error.message);
        };
        check("\"phrase\": 1.26,", "", "the signal phrase has no weight");
        check("\"phrase\"", "\"phrases\"", "the signal phrase has no weight");
        check("\"phrase\"", "\"more\": 1, \"phrase\"", "there is no signal more");
        check("0.662", "-0.662", "calibration.slope is out of range: it must be finite and above 0");
        check("\"lexical_scale\": 4.0", "\"lexical_scale\": 1e39", "lexical_scale is out of range");
        check("\"jaccard\"", "\"jacard\"", "jacard");
    }
}
