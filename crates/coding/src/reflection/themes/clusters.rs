//! Groups similar items of self-feedback into themes. Items come oldest first, and each joins the
//! first theme whose first item is similar, else it starts a new one. Equal items give equal
//! themes, and a chain of similar items does not merge all of them. Pure.

use std::collections::BTreeSet;

use loci_model::record::Record;

/// The minimum cosine of similar items.
pub(super) const COSINE_MIN: f32 = 0.75;
/// The minimum length of a word that two items must share before their vectors are compared, in
/// characters.
const WORD_CHARS_MIN: usize = 4;

/// The compared features of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Marks {
    topic: Option<String>,
    paths: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Marks {
    pub(super) fn of(record: &Record) -> Self {
        let topic = record.title.as_deref().map(plain).filter(|topic| !topic.is_empty());
        let scope = record.scope.as_deref().map(|scope| scope.trim_end_matches(['*', '/']).to_owned());
        let paths = record.text.split_whitespace().map(bare).filter(|word| is_path(word)).map(str::to_owned);
        let whole = format!("{} {}", record.title.as_deref().unwrap_or_default(), record.text);
        let words = whole.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        Self {
            topic,
            paths: paths.chain(scope.filter(|scope| !scope.is_empty())).collect(),
            words: words.filter(|word| word.chars().count() >= WORD_CHARS_MIN).collect(),
        }
    }

    /// True if two items name the same topic or path.
    pub(super) fn meet(&self, other: &Self) -> bool {
        let same_topic = self.topic.is_some() && self.topic == other.topic;
        same_topic || !self.paths.is_disjoint(&other.paths)
    }

    /// True if the vectors of two items need a comparison: items without a common word are not
    /// similar.
    pub(super) fn may_be_alike(&self, other: &Self) -> bool {
        self.meet(other) || !self.words.is_disjoint(&other.words)
    }
}

/// Themes as the indices of their items, each in order. The first item of a theme decides the
/// similarity.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Clusters(pub(super) Vec<Vec<usize>>);

impl Clusters {
    /// Returns the first items of all themes.
    pub(super) fn leaders(&self) -> Vec<usize> {
        self.0.iter().filter_map(|theme| theme.first().copied()).collect()
    }

    /// Adds an item to the theme with that first item; with `None`, to a new theme.
    pub(super) fn put(&mut self, item: usize, leader: Option<usize>) {
        let of = |theme: &&mut Vec<usize>| leader.is_some() && theme.first().copied() == leader;
        match self.0.iter_mut().find(of) {
            Some(theme) => theme.push(item),
            None => self.0.push(vec![item]),
        }
    }
}

/// Removes surrounding brackets, quotes and punctuation.
fn bare(word: &str) -> &str {
    let begins = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '.');
    let ends = |c: char| c.is_alphanumeric() || c == '_';
    word.trim_start_matches(|c: char| !begins(c)).trim_end_matches(|c: char| !ends(c))
}

/// True for a word with a slash inside, or with the ending of a file.
fn is_path(word: &str) -> bool {
    let inside = word.trim_matches('/');
    let has_ending = inside.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_name = ending.len() <= 4 && ending.chars().all(|c| c.is_ascii_lowercase());
        stem.len() > 1 && !ending.is_empty() && is_name
    });
    !word.contains("://") && (inside.contains('/') || has_ending)
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_testkit_ports::samples;

    use super::*;

    fn marks(topic: Option<&str>, scope: Option<&str>, text: &str) -> Marks {
        let memory = MemoryId::parse("memory-0123456789").unwrap();
        let record = samples::record(&memory, 1, text).unwrap();
        Marks::of(&Record { title: topic.map(str::to_owned), scope: scope.map(str::to_owned), ..record })
    }

    #[test]
    fn what_two_items_share() {
        let check = |a: &Marks, b: &Marks, expect: bool| {
            assert_eq!((a.meet(b), b.meet(a)), (expect, expect), "{a:?} {b:?}");
        };
        let build = marks(Some("Build set-up"), None, "The order of `make` targets was not said.");
        check(&build, &marks(Some("build  Set-up"), None, "Nothing else."), true);
        check(&build, &marks(None, None, "The order of targets was not said."), false);
        let auth = marks(None, None, "It was not said that src/auth/session.ts is generated.");
        check(&auth, &marks(Some("Sessions"), None, "Look into (`src/auth/session.ts`)."), true);
        check(&auth, &marks(None, None, "Look into src/auth/token.ts."), false);
        check(&marks(None, Some("src/db/**"), "x"), &marks(None, None, "It is in src/db/ somewhere"), true);
        check(&marks(None, Some("src/db/**"), "x"), &marks(None, Some("src/db"), "y"), true);
        assert!(!marks(None, None, "").meet(&marks(None, None, "")), "nothing is not the same as nothing");
    }

    #[test]
    fn only_what_shares_a_word_is_compared() {
        let check = |a: &str, b: &str, expect: bool| {
            assert_eq!(marks(None, None, a).may_be_alike(&marks(None, None, b)), expect, "{a} {b}");
        };
        check("The database of the tests.", "Which DATABASE is it?", true);
        check("The order of targets.", "A set-up of its own.", false);
    }

    #[test]
    fn items_join_the_first_theme_they_are_like() {
        let mut clusters = Clusters::default();
        clusters.put(0, None);
        clusters.put(1, None);
        clusters.put(2, Some(1));
        clusters.put(3, Some(0));
        assert_eq!((clusters.leaders(), clusters.0), (vec![0, 1], vec![vec![0, 3], vec![1, 2]]));
    }
}
