//! The signals of the ranking in the words of whoever reads the demo's report.

use loci_api::search::Hit;

/// As many as a line holds.
const REASONS_MAX: usize = 3;

/// The signals that raised a hit most, the strongest first.
pub(super) fn reasons(hit: &Hit) -> String {
    let mut signals: Vec<_> = hit.explanation.iter().filter(|signal| signal.contribution > 0.0).collect();
    signals.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then_with(|| a.name.cmp(&b.name)));
    let reason = |signal: &&loci_api::search::Signal| {
        format!("{} +{:.1}", words(&signal.name).unwrap_or(&signal.name), signal.contribution)
    };
    signals.iter().take(REASONS_MAX).map(reason).collect::<Vec<_>>().join(" · ")
}

/// What a signal means; `None` for one that this file does not know.
pub(super) fn words(signal: &str) -> Option<&'static str> {
    Some(match signal {
        "lex_turn" => "words of the question",
        "lex_window" => "words in the turns around it",
        "lex_pair" => "words in it and the turn it answers",
        "lex_session" => "words in its session",
        "phrase" => "the same phrase",
        "dense" => "meaning",
        "dense_window" => "meaning with the turns around it",
        "speaker" => "said by the one who is asked about",
        "assistant" => "said by the assistant",
        "assistant_you" => "the assistant was asked about itself",
        "assistant_topic" => "the assistant explained such matters",
        "said" => "who says it says more of it",
        "answer" => "answers a question like it",
        "file" => "more of the file matches",
        "document" => "a file",
        "date" => "the date asked about",
        "when_time" => "asked when, it names a time",
        "long_duration" => "asked how long, it names a span",
        "question" => "a question itself",
        "entities" => "names of people and places",
        "number" => "holds a number",
        "first_person" => "somebody about themselves",
        "path" => "its path",
        _ => return None,
    })
}
