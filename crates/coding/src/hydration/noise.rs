//! The noise floor: the relevance below which a hit is unrelated to the query. Pure.

use loci_model::warning::Degradation;

use crate::settings::CodingSettings;

/// The share of the floor that applies while records wait for their vectors. By its words alone a
/// record scores much lower, especially if many records share them.
const PENDING_PART: f64 = 0.1;

/// Returns the relevance below which a hit is noise, depending on the search's degradation.
pub(super) fn noise_floor(settings: &CodingSettings, degraded: &[Degradation]) -> f64 {
    if degraded.contains(&Degradation::EmbeddingUnavailable) {
        settings.noise_floor_by_words
    } else if degraded.contains(&Degradation::EmbeddingPending) {
        settings.noise_floor * PENDING_PART
    } else {
        settings.noise_floor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_follows_what_the_search_could_compare() {
        let settings =
            CodingSettings { noise_floor: 0.1, noise_floor_by_words: 0.3, ..CodingSettings::default() };
        let check = |degraded: &[Degradation], expect: f64| {
            assert_eq!(noise_floor(&settings, degraded), expect, "{degraded:?}");
        };
        check(&[], 0.1);
        check(&[Degradation::SearchCut], 0.1);
        check(&[Degradation::EmbeddingPending], 0.1 * PENDING_PART);
        check(&[Degradation::EmbeddingUnavailable], 0.3);
        check(&[Degradation::EmbeddingPending, Degradation::EmbeddingUnavailable], 0.3);
    }
}
