//! The signals of the ranking in words, for people who ask why a record was found.

use loci_api::search::Signal;
use loci_engine::retrieval::signals::SIGNALS;

/// Signals on a line of the demo.
const SHORT_MAX: usize = 3;
/// The least contribution of a signal on that line, as it is rounded there.
const SHORT_MIN: f32 = 0.05;
/// The least contribution that is shown, as it is rounded.
const CONTRIBUTION_MIN: f32 = 0.005;

/// Returns the signals that raised a hit most, the strongest first.
pub(crate) fn strongest(explanation: &[Signal]) -> String {
    let raised = sorted(explanation, |signal| signal.contribution);
    let reasons = raised.iter().filter(|signal| signal.contribution >= SHORT_MIN).take(SHORT_MAX);
    reasons
        .map(|signal| format!("{} +{:.1}", words(signal), signal.contribution))
        .collect::<Vec<_>>()
        .join(" · ")
}

/// Returns a line for the signals that raised a hit, one for those that lowered it, and one for
/// those without effect.
pub(crate) fn lines(explanation: &[Signal]) -> Vec<String> {
    let (raised, lowered) = (
        sorted(explanation, |signal| signal.contribution),
        sorted(explanation, |signal| -signal.contribution),
    );
    let with_size = |signals: Vec<&Signal>| {
        let named =
            signals.into_iter().map(|signal| format!("{} {:+.2}", words(signal), signal.contribution));
        named.collect::<Vec<_>>().join(" · ")
    };
    let still = explanation.iter().filter(|signal| signal.contribution.abs() < CONTRIBUTION_MIN);
    let still = still.map(words).collect::<Vec<_>>().join(" · ");
    let lines = [("raised by", with_size(raised)), ("lowered by", with_size(lowered)), ("no effect", still)];
    let shown = lines.into_iter().filter(|(_, signals)| !signals.is_empty());
    shown.map(|(what, signals)| format!("{what}: {signals}")).collect()
}

/// Returns the signals with a positive size, the greatest first; of equal ones by name.
fn sorted(explanation: &[Signal], size: fn(&Signal) -> f32) -> Vec<&Signal> {
    let mut signals: Vec<&Signal> =
        explanation.iter().filter(|signal| size(signal) >= CONTRIBUTION_MIN).collect();
    signals.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.name.cmp(&b.name)));
    signals
}

/// Returns the meaning of a signal; its name for one that this program does not know.
fn words(signal: &Signal) -> &str {
    match SIGNALS.iter().find(|row| row.name == signal.name) {
        Some(row) => row.words,
        None if signal.name == "no_vector" => "not embedded yet",
        None => &signal.name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_is_named_in_words() {
        for row in SIGNALS {
            let signal = Signal { name: row.name.to_owned(), value: 1.0, weight: 1.0, contribution: 1.0 };
            assert_ne!(words(&signal), row.name);
        }
    }

    #[test]
    fn signals_are_parted_by_their_effect() {
        let signal = |name: &str, contribution: f32| Signal {
            name: name.to_owned(),
            value: 1.0,
            weight: contribution,
            contribution,
        };
        let explanation = [
            signal("dense", 0.25),
            signal("lex_turn", 1.5),
            signal("question", -0.5),
            signal("path", 0.0),
            signal("new", 0.3),
        ];
        assert_eq!(
            lines(&explanation),
            [
                "raised by: words of the question +1.50 · new +0.30 · meaning +0.25",
                "lowered by: a question itself -0.50",
                "no effect: its path"
            ]
        );
        assert_eq!(strongest(&explanation), "words of the question +1.5 · new +0.3 · meaning +0.2");
        assert!(lines(&[]).is_empty());
    }
}
