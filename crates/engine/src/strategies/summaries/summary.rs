//! Summaries without a model (with a model: `summary_model.rs`): the most informative sentences, by
//! topic and session.
//!
//! Each round makes one record per topic of its new turns (subtype `part`), and the next version of
//! one record for the whole session (subtype `session`), which combines the parts, not the events.

use loci_model::job::exchange::Step;
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::RecordKind;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Source;
use loci_model::{SessionId, limits};

use super::summary_model;
use super::summary_topics::{Topic, topics};
use super::topic_markup::{TopicText, read, write};
use crate::strategies::{Ask, BadReply, Batch, Candidate, EarlierRecord, JoinMode, Question, Strategy};

/// Subtype of the record of one topic.
pub const PART: &str = "part";
/// Subtype of the record of a whole session.
pub const SESSION: &str = "session";
/// Maximum length of a session's summary in characters: three windows of the embedding model.
const SESSION_CHARS_MAX: usize = 2_400;
/// Minimum length of a topic in characters; less has too little content.
const TOPIC_CHARS_MIN: usize = 80;
/// Number of topics from the start of a session that its summary keeps if not all fit; the others
/// are the latest.
const FIRST_TOPICS: usize = 5;

/// The strategy that makes summaries.
#[derive(Debug)]
pub struct Summary;

impl Strategy for Summary {
    fn base(&self) -> StrategyBase {
        StrategyBase::Summary
    }

    fn builds_on(&self, _: &SessionId) -> Vec<String> {
        vec![PART.to_owned(), SESSION.to_owned()]
    }

    fn turns_per_round(&self) -> usize {
        limits::EXTRACTION_TURNS_MAX
    }

    fn extract(&self, batch: &Batch<'_>) -> Vec<Candidate> {
        let new = topics(batch.turns);
        let mut candidates: Vec<Candidate> = new.iter().map(part).collect();
        candidates.extend(session(batch.standing, &new));
        candidates
    }

    fn asks(&self) -> bool {
        true
    }

    fn step(&self, _: &Ask<'_>) -> Step {
        Step::Summarise
    }

    fn extraction(&self, ask: &Ask<'_>) -> Option<Question> {
        summary_model::question(ask)
    }

    fn read_extraction(&self, reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
        summary_model::read(reply, ask)
    }
}

fn part(topic: &Topic) -> Candidate {
    Candidate {
        kind: RecordKind::Summary,
        subtype: Some(PART.to_owned()),
        title: Some(topic.text.name.clone()),
        description: None,
        text: write(std::slice::from_ref(&topic.text)),
        index_text: Some(topic.index_text.clone()),
        sources: topic.sources.clone(),
        verbatim: false,
        role: None,
        run: None,
        scope: None,
        inferred: Metadata::new(),
        time: topic.time,
        joining: JoinMode::Add,
    }
}

/// Returns the summary of the whole session: earlier parts in order of time, then the new ones.
fn session(standing: &[EarlierRecord], new: &[Topic]) -> Option<Candidate> {
    let newest = new.iter().map(|topic| topic.time).max()?;
    let parts: Vec<&EarlierRecord> =
        standing.iter().filter(|record| record.subtype.as_deref() == Some(PART)).collect();
    let mut all: Vec<TopicText> = parts.iter().flat_map(|record| read(&record.text)).collect();
    all.extend(new.iter().map(|topic| topic.text.clone()));
    let mut sources: Vec<Source> =
        new.iter().flat_map(|topic| &topic.sources).filter(|_| parts.is_empty()).cloned().collect();
    sources.extend(parts.iter().filter_map(|record| record.sources.first()).cloned());
    sources.extend(new.iter().filter(|_| !parts.is_empty()).flat_map(|topic| &topic.sources).cloned());
    let told = all.len();
    let kept = fitted(all);
    let content: Vec<&str> = kept.iter().map(|topic| topic.content.as_str()).collect();
    Some(Candidate {
        kind: RecordKind::Summary,
        subtype: Some(SESSION.to_owned()),
        title: None,
        description: Some(format!("the whole session: {} of {told} topics", kept.len())),
        text: write(&kept),
        index_text: Some(content.join("\n").lines().map(unlabelled).collect::<Vec<_>>().join("\n")),
        sources,
        verbatim: false,
        role: None,
        run: None,
        scope: None,
        inferred: Metadata::new(),
        time: parts.iter().map(|record| record.time).max().map_or(newest, |time| time.max(newest)),
        joining: JoinMode::InPlace,
    })
}

/// Returns a line without its speaker's label.
fn unlabelled(line: &str) -> &str {
    let labels = ["User: ", "Assistant: ", "Tool: ", "Other: ", "Data: "];
    labels.iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line)
}

/// Returns as many topics as fit, each with its first lines: the first ones and the latest.
fn fitted(mut all: Vec<TopicText>) -> Vec<TopicText> {
    let total: usize = all.iter().map(|topic| topic.content.chars().count()).sum();
    if total <= SESSION_CHARS_MAX {
        return all;
    }
    let room = SESSION_CHARS_MAX / TOPIC_CHARS_MIN;
    if all.len() > room {
        let latest = all.len() - (room - FIRST_TOPICS);
        all.drain(FIRST_TOPICS..latest);
    }
    let each = SESSION_CHARS_MAX / all.len().max(1);
    for topic in &mut all {
        topic.content = headed(&topic.content, each);
    }
    all
}

/// Returns the beginning of a text, truncated at a word and marked by `…`.
fn headed(text: &str, chars_max: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text.to_owned() };
    let cut = text.get(..end).unwrap_or_default();
    format!("{}…", cut.rsplit_once(char::is_whitespace).map_or(cut, |(before, _)| before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::turns::turn::tests::talk;
    use loci_model::event::Role::{Assistant, User};

    fn extract(turns: &[crate::strategies::Turn], standing: &[EarlierRecord]) -> Vec<Candidate> {
        let session = SessionId::parse("s1").unwrap();
        Summary.extract(&Batch { session: &session, turns, standing })
    }

    #[test]
    fn parts_and_the_whole() {
        let found = extract(
            &talk(&[(User, "I work in Oslo as a diver"), (Assistant, "Diving in Oslo is cold")]),
            &[],
        );
        let subtypes: Vec<_> = found.iter().map(|one| one.subtype.as_deref().unwrap()).collect();
        assert_eq!(subtypes, [PART, SESSION]);
        assert_eq!(found[0].text, found[1].text);
        assert!(found[0].text.starts_with("<topic name=\""), "{}", found[0].text);
        assert_eq!(found[1].indexed(), "I work in Oslo as a diver\nDiving in Oslo is cold");
        assert_eq!((&found[0].joining, &found[1].joining), (&JoinMode::Add, &JoinMode::InPlace));
        assert_eq!(found[1].description.as_deref(), Some("the whole session: 1 of 1 topics"));
        assert!(extract(&talk(&[(User, "?")]), &[]).is_empty());
    }

    #[test]
    fn a_long_session_keeps_first_and_latest_and_says_so() {
        let topic = |number: usize| TopicText {
            name: format!("n{number}"),
            content: format!("{number} ").repeat(200),
        };
        let kept = fitted((0..100).map(topic).collect());
        assert_eq!(kept.len(), SESSION_CHARS_MAX / TOPIC_CHARS_MIN);
        assert_eq!(
            (kept[0].name.as_str(), kept[4].name.as_str(), kept[5].name.as_str()),
            ("n0", "n4", "n75")
        );
        assert_eq!(kept.last().unwrap().name, "n99");
        assert!(kept.iter().all(|topic| topic.content.ends_with('…')));
        assert_eq!(fitted((0..2).map(topic).collect()).len(), 2);
    }
}
