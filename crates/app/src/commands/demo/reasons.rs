//! The signals of the ranking in plain words for readers of the demo's report.

use loci_api::search::Hit;
use loci_engine::retrieval::signals::SIGNALS;

/// The number of reasons that fit on a line.
const REASONS_MAX: usize = 3;

/// Returns the signals that raised a hit most, strongest first.
pub(super) fn reasons(hit: &Hit) -> String {
    let mut signals: Vec<_> = hit.explanation.iter().filter(|signal| signal.contribution > 0.0).collect();
    signals.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then_with(|| a.name.cmp(&b.name)));
    let reason = |signal: &&loci_api::search::Signal| {
        format!("{} +{:.1}", words(&signal.name).unwrap_or(&signal.name), signal.contribution)
    };
    signals.iter().take(REASONS_MAX).map(reason).collect::<Vec<_>>().join(" · ")
}

/// Returns the meaning of a signal. `None` if the table does not contain it.
pub(super) fn words(signal: &str) -> Option<&'static str> {
    SIGNALS.iter().find(|row| row.name == signal).map(|row| row.words)
}
