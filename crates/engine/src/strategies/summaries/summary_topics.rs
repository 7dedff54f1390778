//! Topics of a conversation, and the most informative sentences of each: extractive, by words
//! alone.
//!
//! Turns are split into topics where the words change or time passes. The weight of a sentence is
//! its similarity to its topic (tf-idf centroid), less its overlap with sentences already chosen.
//! It makes no records.

use std::collections::{BTreeMap, HashMap};

use loci_model::Timestamp;
use loci_model::event::Role;
use loci_model::record::provenance::Source;
use loci_text::split::sentences;
use loci_text::terms;

use super::topic_markup::TopicText;
use crate::strategies::turns::turn::Turn;

/// Maximum number of turns of one topic.
const TOPIC_TURNS_MAX: usize = 12;
/// Minimum number of turns of a topic before a change of words ends it.
const TOPIC_TURNS_MIN: usize = 4;
/// Share of known terms below which two consecutive turns have another subject.
const COHESION_MIN: f32 = 0.1;
/// Milliseconds of a pause that begins a new topic.
const PAUSE_MS: i64 = 30 * 60 * 1000;
/// Number of sentences of a topic, and their characters.
const SENTENCES_MIN: usize = 2;
const SENTENCES_MAX: usize = 5;
const SENTENCE_CHARS_MAX: usize = 240;
/// Similarity from which a sentence repeats a chosen one.
const REPEATED_JACCARD: f32 = 0.6;
/// Number of words in a topic's name.
const NAME_WORDS: usize = 3;

/// A topic of a conversation: consecutive turns on one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// The name of the topic and its most informative sentences, with their speakers.
    pub text: TopicText,
    /// The sentences without their speakers, for the index.
    pub index_text: String,
    /// The messages from which the sentences come, oldest first.
    pub sources: Vec<Source>,
    /// The time of the newest turn of the topic.
    pub time: Timestamp,
}

/// Returns the topics of turns in their order; turns without content have none.
pub fn topics(turns: &[Turn]) -> Vec<Topic> {
    segments(turns).into_iter().filter_map(topic).collect()
}

/// Splits turns into segments of one subject.
fn segments(turns: &[Turn]) -> Vec<&[Turn]> {
    let terms_of: Vec<Vec<String>> = turns.iter().map(|turn| terms(turn.indexed())).collect();
    let mut segments = Vec::new();
    let mut start = 0;
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (at, turn) in turns.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| turns.get(before));
        let pause = before.is_some_and(|before| turn.time.millis() - before.time.millis() > PAUSE_MS);
        let length = at - start;
        let elsewhere = length >= TOPIC_TURNS_MIN
            && turn.role == Some(Role::User)
            && cohesion(&known, terms_of.get(at..(at + 2).min(turns.len())).unwrap_or_default())
                < COHESION_MIN;
        if length > 0 && (pause || elsewhere || length >= TOPIC_TURNS_MAX) {
            segments.extend(turns.get(start..at));
            start = at;
            known.clear();
        }
        for term in terms_of.get(at).into_iter().flatten() {
            *known.entry(term).or_default() += 1;
        }
    }
    segments.extend(turns.get(start..).filter(|rest| !rest.is_empty()));
    segments
}

/// Returns the share of the terms of some turns that a topic already contains; 1 if they have none.
fn cohesion(known: &HashMap<&str, usize>, turns: &[Vec<String>]) -> f32 {
    let all = turns.iter().map(Vec::len).sum::<usize>();
    let shared = turns.iter().flatten().filter(|term| known.contains_key(term.as_str())).count();
    if all == 0 { 1.0 } else { shared as f32 / all as f32 }
}

struct Sentence<'a> {
    turn: &'a Turn,
    text: &'a str,
    terms: Vec<String>,
    weight: f32,
}

fn topic(turns: &[Turn]) -> Option<Topic> {
    let mut all: Vec<Sentence<'_>> = turns.iter().flat_map(sentences_of).collect();
    let rarity = rarity(&all);
    weigh(&mut all, &rarity);
    let chosen = choose(&all);
    let time = turns.iter().map(|turn| turn.time).max()?;
    let (mut content, mut index_text) = (String::new(), String::new());
    let mut sources: Vec<Source> = Vec::new();
    let mut speaker = None;
    for sentence in chosen.iter().filter_map(|at| all.get(*at)) {
        let text = shortened(sentence.text.trim());
        let label = label(sentence.turn.role);
        match speaker.replace(label) {
            Some(before) if before == label => content.push(' '),
            Some(_) => content.push_str(&format!("\n{label}: ")),
            None => content.push_str(&format!("{label}: ")),
        }
        content.push_str(&text);
        if !index_text.is_empty() {
            index_text.push('\n');
        }
        index_text.push_str(&text);
        if sources.last() != Some(&sentence.turn.source) {
            sources.push(sentence.turn.source.clone());
        }
    }
    let name = name(&all, &rarity);
    (!sources.is_empty()).then_some(Topic { text: TopicText { name, content }, index_text, sources, time })
}

fn sentences_of(turn: &Turn) -> Vec<Sentence<'_>> {
    let text = turn.indexed();
    let all = if turn.role.is_some() { sentences(text) } else { text.lines().collect() };
    let sentence = |text| Sentence { turn, text, terms: terms(text), weight: 0.0 };
    all.into_iter().map(sentence).filter(|sentence| !sentence.terms.is_empty()).collect()
}

/// Returns the rarity of each term among the sentences of a topic.
fn rarity(all: &[Sentence<'_>]) -> HashMap<String, f32> {
    let mut df: HashMap<String, u32> = HashMap::new();
    for sentence in all {
        let mut distinct: Vec<&String> = sentence.terms.iter().collect();
        distinct.sort();
        distinct.dedup();
        for term in distinct {
            *df.entry(term.clone()).or_default() += 1;
        }
    }
    let n = u32::try_from(all.len()).unwrap_or(u32::MAX);
    df.into_iter().map(|(term, df)| (term, 0.2 + loci_text::bm25::idf(n, df))).collect()
}

/// Computes the cosine of each sentence with the sum of all, multiplied by factors for its role and
/// form.
fn weigh(all: &mut [Sentence<'_>], rarity: &HashMap<String, f32>) {
    // The maps are ordered, so that the sums are the same in every run.
    let mut centroid: BTreeMap<&str, f32> = BTreeMap::new();
    let terms_of: Vec<Vec<String>> = all.iter().map(|sentence| sentence.terms.clone()).collect();
    for term in terms_of.iter().flatten() {
        *centroid.entry(term).or_default() += rarity.get(term).copied().unwrap_or(0.0);
    }
    let norm = centroid.values().map(|value| value * value).sum::<f32>().sqrt();
    for (sentence, terms) in all.iter_mut().zip(&terms_of) {
        let mut vector: BTreeMap<&str, f32> = BTreeMap::new();
        for term in terms {
            *vector.entry(term).or_default() += rarity.get(term).copied().unwrap_or(0.0);
        }
        let length = vector.values().map(|value| value * value).sum::<f32>().sqrt();
        let dot: f32 =
            vector.iter().map(|(term, value)| value * centroid.get(term).copied().unwrap_or(0.0)).sum();
        let cosine = if norm > 0.0 && length > 0.0 { dot / (norm * length) } else { 0.0 };
        sentence.weight = cosine * worth(sentence);
    }
}

fn worth(sentence: &Sentence<'_>) -> f32 {
    let role = match sentence.turn.role {
        Some(Role::User) | None => 1.1,
        Some(Role::Assistant) => 1.0,
        Some(Role::Tool) => 0.6,
        Some(Role::Other) => 0.4,
    };
    let short = if sentence.terms.len() < 2 { 0.4 } else { 1.0 };
    let question = if sentence.text.trim_end().ends_with('?') { 0.8 } else { 1.0 };
    role * short * question
}

/// Returns the indexes of the most informative sentences, in order of the conversation.
fn choose(all: &[Sentence<'_>]) -> Vec<usize> {
    let wanted = all.len().div_ceil(3).clamp(SENTENCES_MIN, SENTENCES_MAX);
    let mut order: Vec<usize> = (0..all.len()).collect();
    let weight = |at: &usize| all.get(*at).map_or(0.0, |sentence| sentence.weight);
    order.sort_by(|left, right| weight(right).total_cmp(&weight(left)).then(left.cmp(right)));
    let mut chosen: Vec<usize> = Vec::new();
    for at in order {
        if chosen.len() == wanted {
            break;
        }
        // Of repeated statements, the first one is used.
        let first = all.iter().take(at).position(|earlier| alike(all.get(at), Some(earlier))).unwrap_or(at);
        if !chosen.iter().any(|chosen| alike(all.get(*chosen), all.get(first))) {
            chosen.push(first);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Returns true if two sentences have much the same content.
fn alike(left: Option<&Sentence<'_>>, right: Option<&Sentence<'_>>) -> bool {
    left.zip(right).is_some_and(|(left, right)| {
        loci_text::similarity::jaccard(&left.terms, &right.terms) >= REPEATED_JACCARD
    })
}

/// Returns the most frequent and most specific words, as spelled in the text.
fn name(all: &[Sentence<'_>], rarity: &HashMap<String, f32>) -> String {
    let mut counts: BTreeMap<&str, (f32, usize)> = BTreeMap::new();
    for (place, term) in all.iter().flat_map(|sentence| &sentence.terms).enumerate() {
        let entry = counts.entry(term).or_insert((0.0, place));
        // Frequency counts more than rarity: in a short conversation every word is rare.
        entry.0 += 1.0 + rarity.get(term).copied().unwrap_or(0.0);
    }
    let mut best: Vec<_> = counts.into_iter().filter(|(term, _)| term.chars().count() > 2).collect();
    best.sort_by(|(_, left), (_, right)| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let words: Vec<String> = best.iter().take(NAME_WORDS).map(|(term, _)| written(all, term)).collect();
    if words.is_empty() { "talk".to_owned() } else { words.join(", ") }
}

/// Returns the first word of the conversation with this term.
fn written(all: &[Sentence<'_>], term: &str) -> String {
    let words = all.iter().flat_map(|sentence| sentence.text.split(|c: char| !c.is_alphanumeric()));
    let mut found = words.filter(|word| terms(word).iter().any(|one| one == term));
    found.next().map_or_else(|| term.to_owned(), str::to_lowercase)
}

fn label(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::User) => "User",
        Some(Role::Assistant) => "Assistant",
        Some(Role::Tool) => "Tool",
        Some(Role::Other) => "Other",
        None => "Data",
    }
}

/// Returns a sentence; a very long one is truncated at a word and marked by `…`.
pub fn shortened(sentence: &str) -> String {
    let Some((end, _)) = sentence.char_indices().nth(SENTENCE_CHARS_MAX) else {
        return sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    };
    let cut = sentence.get(..end).unwrap_or_default();
    let cut = cut.rsplit_once(char::is_whitespace).map_or(cut, |(before, _)| before);
    format!("{}…", cut.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::turns::turn::tests::talk;
    use Role::{Assistant, User};

    #[test]
    fn one_short_talk_is_one_topic() {
        let found = topics(&talk(&[
            (User, "I like sushi with tuna"),
            (Assistant, "You said: I like sushi with tuna"),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text.name, "like, sushi, tuna");
        assert_eq!(found[0].text.content, "User: I like sushi with tuna");
        assert_eq!(found[0].index_text, "I like sushi with tuna");
        assert_eq!(found[0].sources.len(), 1);
    }

    #[test]
    fn another_matter_is_another_topic() {
        let found = topics(&talk(&[
            (User, "My dog Pixel ate the carpet. The dog is still a puppy."),
            (Assistant, "A puppy like Pixel chews a carpet when it is bored."),
            (User, "How long should the dog walk each day?"),
            (Assistant, "Walk the puppy an hour a day."),
            (User, "Thanks. Which visa do I need for Japan in April?"),
            (Assistant, "For Japan no visa is needed below ninety days; April brings cherry blossom."),
        ]));
        assert_eq!(found.len(), 2);
        assert!(found[0].text.content.contains("Pixel"), "{}", found[0].text.content);
        assert!(found[1].text.content.contains("Japan"), "{}", found[1].text.content);
        assert!(found[1].text.name.contains("japan"), "{}", found[1].text.name);
    }

    #[test]
    fn few_sentences_and_none_twice() {
        let text = "The server in Oslo failed at noon. ".repeat(30);
        let found = topics(&talk(&[(User, &text), (Assistant, "I restarted the server in Oslo for you.")]));
        assert_eq!(found[0].text.content.matches("failed").count(), 1);
        let long = format!("{} end", "word ".repeat(200));
        let found = topics(&talk(&[(User, &long)]));
        assert!(found[0].index_text.ends_with('…'));
        assert!(found[0].index_text.chars().count() <= SENTENCE_CHARS_MAX + 1);
    }

    #[test]
    fn nothing_said() {
        assert_eq!(topics(&[]), []);
        assert_eq!(topics(&talk(&[(User, "!!!"), (Assistant, "and so it is")])), []);
    }
}
