//! The grounding of a fact: the words of it that its cited code contains, which are backticked and
//! quoted text, numbers and identifiers. A block that loses one of them has lost part of the fact's
//! content. The module judges no meaning.

use std::collections::HashSet;

use crate::verifier::lines::words::words;

/// The longest token that is kept, in bytes.
const TOKEN_BYTES_MAX: usize = 120;
/// The maximum number of tokens of one fact.
const TOKENS_MAX: usize = 100;

/// Words of prose about code that occur in any code. They do not show that a fact and a block
/// belong together.
const EMPTY_WORDS: &str = " about above across actually added adds after again against all allow allowed allows along already also \
    always and another any api are around array async available based because been before behavior behaviour being below \
    between bool both build but byte bytes call called caller calls can cannot case cases change changed changes check checks \
    class classes code const contains control could crate create created creates current data def default defaults define \
    defined defines definition depends describe description did different directly does doing done each either else empty end \
    ends enum error errors even every everything example except exist exists expected export expects fact false field fields \
    file files first fn following for found from full func function functions get gets give given gives goes had handle \
    handled handles has have having here holds how however implement implementation implemented implements import include \
    included includes input inside instead int into item items its itself just keep keeps key keys kind know known last later \
    let like line lines list lists lives local located longer loop made main make makes many map match matches may means \
    method methods might mod mode module modules more most much must mut name named names need needed needs never new next \
    non none not note nothing now null number object once one only option optional options order other others otherwise our \
    out output over own param parameter parameters part parts pass passed passes path paths per place possible private project \
    property provide provided provides pub public put read reads ref repo repository require required requires result results \
    return returned returning returns run running runs same second see self set sets setting settings several shall should \
    since single size some something source start starts static still store stored stores str string strings struct such \
    sure take taken takes test tests text than that the their them then there therefore these they thing things this those \
    three through time times too true try two type types under unless until use used user users uses using usually val value \
    values var variable variables version very via void want was way well were what when where whether which while who whole \
    why will with within without work works would write writes written you your zero ";

/// Returns the tokens of a fact that a block of lines contains, in the fact's order, each once.
pub(in crate::verifier) fn grounded<'a>(fact: &str, block: impl Iterator<Item = &'a str>) -> Vec<String> {
    let block = BlockWords::of(block);
    let held: Vec<String> = tokens(fact).into_iter().filter(|token| block.holds(token)).collect();
    // Most code contains single digits, so a digit alone grounds nothing.
    if held.iter().all(|token| token.len() == 1) { Vec::new() } else { held }
}

/// Returns true if one of the tokens is no longer in the block.
pub(in crate::verifier) fn lost<'a>(tokens: &[String], block: impl Iterator<Item = &'a str>) -> bool {
    let block = BlockWords::of(block);
    tokens.iter().any(|token| !block.holds(token))
}

/// Returns the tokens of a fact that code can contain.
pub(super) fn tokens(fact: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |token: &str| {
        let token = token.split_whitespace().collect::<Vec<_>>().join(" ");
        if !token.is_empty()
            && token.len() <= TOKEN_BYTES_MAX
            && found.len() < TOKENS_MAX
            && !found.contains(&token)
        {
            found.push(token);
        }
    };
    let mut prose = fact.to_owned();
    for (open, close) in [('`', '`'), ('"', '"'), ('“', '”'), ('«', '»')] {
        prose = without_quoted(&prose, open, close, &mut add);
    }
    numbers(&prose).for_each(&mut add);
    for word in words(&prose) {
        let letters = word.chars().count();
        let starts_as_word = word.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic());
        if starts_as_word && letters >= 3 && !is_empty_word(word) {
            add(word);
        }
    }
    found
}

/// Passes the text between the quotes to `add`, and returns the rest.
fn without_quoted(text: &str, open: char, close: char, add: &mut impl FnMut(&str)) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, behind)) = rest.split_once(open) {
        kept.push_str(before);
        let Some((quoted, after)) = behind.split_once(close) else {
            kept.push(' ');
            rest = behind;
            continue;
        };
        // A call is written with empty brackets, but defined with parameters in them.
        add(quoted.trim().trim_end_matches("()"));
        kept.push(' ');
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// Returns the numbers in a text, with dots and underscores inside.
pub(in crate::verifier) fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_'))
        .map(|part| part.trim_matches(['.', '_']))
        .filter(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_empty_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    // A word in another case is a name, unless it begins a sentence.
    let is_prose = word.chars().skip(1).all(char::is_lowercase);
    is_prose && EMPTY_WORDS.contains(&format!(" {lower} "))
}

/// The words of a block, as a lookup table.
struct BlockWords {
    text: String,
    whole: HashSet<String>,
    parts: HashSet<String>,
    numbers: HashSet<String>,
}

impl BlockWords {
    fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let text = lines.collect::<Vec<_>>().join(" ");
        let mut parts = HashSet::new();
        for word in words(&text) {
            parts.insert(word.to_lowercase());
            parts.extend(name_parts(word));
        }
        let whole = words(&text).map(str::to_owned).collect();
        let numbers = numbers(&text).map(str::to_owned).collect();
        Self { text, whole, parts, numbers }
    }

    fn holds(&self, token: &str) -> bool {
        if token.starts_with(|c: char| c.is_ascii_digit())
            && token.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'))
        {
            return self.numbers.contains(token) || self.whole.contains(token);
        }
        if !token.chars().all(|c| c == '_' || c.is_alphanumeric()) {
            return self.text.contains(token);
        }
        let is_prose = token.chars().skip(1).all(char::is_lowercase) || token.chars().all(char::is_uppercase);
        self.whole.contains(token) || (is_prose && self.parts.contains(&token.to_lowercase()))
    }
}

/// Returns the parts of a name in lower case: `parse_URLQuery2` is `parse`, `url`, `query2`.
fn name_parts(word: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for piece in word.split('_') {
        let letters: Vec<char> = piece.chars().collect();
        let mut part = String::new();
        for (index, c) in letters.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|at| letters.get(at));
            let after = letters.get(index + 1);
            let begins = c.is_uppercase()
                && (before.is_some_and(|b| !b.is_uppercase()) || after.is_some_and(|a| a.is_lowercase()));
            if begins && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            part.extend(c.to_lowercase());
        }
        parts.push(part);
    }
    parts.retain(|part| part.len() >= 3);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_the_block_holds_ground_the_fact() {
        let block = "pub fn retry_with_backoff(max_retries: u32) {\nlet limit = 30_000;\nlet url = \"https://a.b\"; // v2.1.5";
        for (fact, expect) in [
            ("Retries use `retry_with_backoff()`.", &["retry_with_backoff", "Retries"][..]),
            ("The limit is 30_000 ms.", &["30_000", "limit"]),
            ("The server listens on port 8080.", &[]),
            ("It returns the value of the function.", &[]),
            ("Version 2.1.5 is required", &[]),
            ("There are 2 ways", &[]),
            ("The URL is \"https://a.b\"", &["https://a.b", "URL"]),
            ("max_retries is unsigned", &["max_retries"]),
            ("Backoff grows", &["Backoff"]),
        ] {
            assert_eq!(grounded(fact, block.lines()), expect, "{fact}");
        }
    }

    #[test]
    fn a_token_that_left_the_block_is_lost() {
        let tokens = ["limit".to_owned(), "30".to_owned()];
        for (block, expect) in
            [("let limit = 30;", false), ("let limit = 300;", true), ("let bound = 30;", true)]
        {
            assert_eq!(lost(&tokens, block.lines()), expect, "{block}");
        }
    }

    #[test]
    fn names_are_taken_apart() {
        for (name, expect) in [
            ("parse_URLQuery2", &["parse", "url", "query2"][..]),
            ("HTTPServer", &["http", "server"]),
            ("retryCount", &["retry", "count"]),
            ("a_b", &[]),
        ] {
            assert_eq!(name_parts(name), expect, "{name}");
        }
    }
}
