//! The noise floor: the relevance below which a search's hit has nothing to do with its question.
//! Pure.

use loci_model::warning::Degradation;

use crate::settings::CodingSettings;

/// Part of the floor that counts while records wait for their vectors: by its words alone a record
/// scores far less than it will, most of all where many records share them.
const PENDING_PART: f64 = 0.1;

/// The relevance below which a hit is noise, by how the search could compare.
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
