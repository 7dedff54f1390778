//! The names and values of a statement that are specific enough for a search in cited code. Pure,
//! over the text alone. Words of prose, files and addresses are excluded. `support` decides if code
//! contains them.

use std::sync::LazyLock;

use loci_model::limits;
use loci_text::code_mentions::{is_address, is_file, is_owned, looks_like_code};
use regex::Regex;

use super::literal::{Literal, number_of};

/// Words after a number that make it a measure. The code may state that measure with another
/// number.
pub(super) const UNITS: &str = " s sec secs second seconds ms millisecond milliseconds us microseconds ns m min mins minute minutes h hour \
    hours d day days week weeks month months year years b byte bytes kb mb gb tb kib mib gib tib k \
    kilobytes megabytes gigabytes \
    percent pct hz khz mhz ghz thousand million billion ";
/// Words by which a statement is not only about the current code.
const OF_THE_PAST: &str = " was were previously formerly earlier once used before until not never isn't unless except instead longer ";

/// A name to which a statement gives a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) value: Literal,
}

/// The names and values in a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::verifier) struct Statement {
    /// Identifiers.
    pub(super) names: Vec<String>,
    /// Numbers in normal form.
    pub(super) numbers: Vec<String>,
    /// Quoted texts.
    pub(super) quotes: Vec<String>,
    /// Names with their values.
    pub(super) bindings: Vec<Binding>,
    /// True if the statement has more parts than are searched for.
    pub(super) is_cut: bool,
}

impl Statement {
    /// Parses a statement.
    pub(in crate::verifier) fn of(text: &str) -> Self {
        let mut statement = Self::default();
        let mut prose = String::with_capacity(text.len());
        let backquotes = text.matches('`').count();
        for (index, part) in text.split('`').enumerate() {
            // The last backquote of an odd number opens nothing.
            let is_code = index % 2 == 1 && backquotes > index;
            if is_code {
                statement.read_code(part);
            } else {
                prose.push_str(part);
            }
            prose.push(' ');
        }
        let prose = statement.without_quotes(&prose);
        statement.read_prose(&without_places(&prose));
        statement.read_bindings(&text.replace('`', ""));
        statement
    }

    /// Returns true if there is nothing to search for.
    pub(in crate::verifier) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.numbers.is_empty() && self.quotes.is_empty()
    }

    /// Returns all parts to search for, in the form for people.
    pub(super) fn wanted(&self) -> impl Iterator<Item = SearchedPart<'_>> {
        let names = self.names.iter().map(|name| SearchedPart::Name(name));
        let numbers = self.numbers.iter().map(|number| SearchedPart::Number(number));
        names.chain(numbers).chain(self.quotes.iter().map(|quote| SearchedPart::Quote(quote)))
    }

    fn read_code(&mut self, code: &str) {
        let code = self.without_quotes(code);
        if is_file(code.trim())
            && (code.contains('/') || crate::verifier::code_structure::definitions::is_language(code.trim()))
        {
            return;
        }
        for name in IDENTIFIER.find_iter(&code).map(|found| found.as_str()) {
            if name.chars().count() >= 2 && !is_owned(name) {
                add(&mut self.names, name, &mut self.is_cut);
            }
        }
        self.read_numbers(&code);
    }

    fn read_prose(&mut self, prose: &str) {
        for found in IDENTIFIER.find_iter(prose) {
            let (name, rest) = (found.as_str(), prose.get(found.end()..).unwrap_or_default());
            // `row(s)` is prose, `negotiate(peer)` is a call.
            let is_plural = rest.starts_with("(s)") || rest.starts_with("(es)");
            let is_called = (rest.starts_with('(') && !is_plural) || rest.starts_with("::");
            let is_name = (looks_like_code(name) || is_called) && name.chars().count() >= 3;
            if (is_name || is_version(name)) && !is_owned(name) {
                add(&mut self.names, name, &mut self.is_cut);
            }
        }
        self.read_numbers(prose);
    }

    fn read_numbers(&mut self, text: &str) {
        let text = THOUSANDS.replace_all(text, "$1$2");
        for token in crate::verifier::anchors::grounding::numbers(&text) {
            let is_ordinal = ["st", "nd", "rd", "th"].iter().any(|end| token.ends_with(end));
            if let Some(number) = number_of(token).filter(|_| !is_ordinal) {
                add(&mut self.numbers, &number, &mut self.is_cut);
            }
        }
    }

    /// Collects quoted texts, and returns the rest.
    fn without_quotes(&mut self, text: &str) -> String {
        for found in QUOTED.captures_iter(text) {
            let quote = found.iter().skip(1).flatten().next().map_or("", |quote| quote.as_str().trim());
            if quote.len() > limits::SUPPORT_QUOTE_BYTES_MAX {
                self.is_cut = true;
            } else if !quote.is_empty() {
                let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
                add(&mut self.quotes, &quote, &mut self.is_cut);
            }
        }
        QUOTED.replace_all(text, " ").into_owned()
    }

    fn read_bindings(&mut self, text: &str) {
        let is_of = |words: &str, word: &str| words.contains(&format!(" {} ", word.to_lowercase()));
        let mut words = text.split(|c: char| c.is_whitespace() || ",.;:()".contains(c));
        if words.any(|word| !word.is_empty() && is_of(OF_THE_PAST, word)) {
            return;
        }
        for found in BINDING.captures_iter(text) {
            let (Some(name), Some(value)) = (found.get(1), found.get(2)) else { continue };
            let rest = text.get(value.end()..).unwrap_or_default();
            let name = name.as_str();
            let is_constant = name.len() >= 3
                && name.chars().all(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit());
            let is_specific =
                is_constant || looks_like_code(name) || self.names.iter().any(|one| one == name);
            let next: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect();
            // More than one value, a sum, or a measure: the code may write it in another form.
            let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || "%_*/+-–".contains(c))
                || rest.trim_start().starts_with(['*', '/', '+', '-', '–', '%'])
                || rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                || matches!(next.as_str(), "or" | "to" | "x" | "times")
                || is_of(UNITS, &next);
            if let Some(value) = Literal::stated(value.as_str()).filter(|_| is_specific && !goes_on) {
                add(&mut self.names, name, &mut self.is_cut);
                let binding = Binding { name: name.to_owned(), value };
                if self.bindings.contains(&binding) {
                    continue;
                }
                if self.bindings.len() == limits::SUPPORT_VALUES_MAX {
                    self.is_cut = true;
                    return;
                }
                self.bindings.push(binding);
            }
        }
    }
}

/// A part of a statement that is searched for in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchedPart<'s> {
    Name(&'s str),
    Number(&'s str),
    Quote(&'s str),
}

impl SearchedPart<'_> {
    /// Returns the part in the form for people.
    pub(super) fn shown(self) -> String {
        match self {
            Self::Name(text) | Self::Number(text) => text.to_owned(),
            Self::Quote(text) => format!("\"{text}\""),
        }
    }
}

/// Returns true for a version of an interface, such as `v2`. Code with `v3` does not confirm it.
fn is_version(name: &str) -> bool {
    let digits = name.strip_prefix(['v', 'V']).unwrap_or_default();
    !digits.is_empty() && digits.chars().all(|sign| sign.is_ascii_digit())
}

fn add(list: &mut Vec<String>, item: &str, is_cut: &mut bool) {
    if list.iter().any(|one| one == item) {
        return;
    }
    if list.len() < limits::SUPPORT_NAMES_MAX {
        list.push(item.to_owned());
    } else {
        *is_cut = true;
    }
}

/// Returns a text without files and addresses.
pub(super) fn without_places(text: &str) -> String {
    let marks = |c: char| "()[]{}<>\"',;|“”«»‘’…".contains(c);
    let keep = |run: &&str| {
        let bare = run.trim_matches(marks).trim_end_matches(['.', ':', '!', '?']);
        !is_address(run) && !is_file(bare)
    };
    text.split_whitespace().filter(keep).collect::<Vec<_>>().join(" ")
}

static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| compiled(r"[\p{Alphabetic}_$][\p{Alphabetic}\d_$]*"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| compiled("\"([^\"]+)\"|“([^”]+)”|«([^»]+)»"));
static THOUSANDS: LazyLock<Regex> = LazyLock::new(|| compiled(r"(\d),(\d{3})\b"));
static BINDING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"([A-Za-z_][A-Za-z0-9_]*)(?:\s*(?::=|==|=|:)\s*|\s+(?:is|equals|is set to|defaults to)\s+|\s+\(\s*=?\s*)(-?\d[\d_]*(?:,\d{3})*(?:\.\d+)?|"[^"]*"|true|false|True|False)"#,
    )
});

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_told_from_prose() {
        for (text, expect) in [
            ("Orders are sharded by region.", ""),
            ("A cart holds at most MAX_ITEMS = 50 items.", "MAX_ITEMS 50"),
            (
                "`add_item` refuses more than MAX_ITEMS (50) items with CartFull.",
                "add_item MAX_ITEMS CartFull 50",
            ),
            ("See src/cart.rs:10 and https://a.b/MAX_URL for more.", ""),
            ("The mode is \"fast lane\".", "\"fast lane\""),
            ("The key is `Cart::limits(\"eu\")`", "Cart limits \"eu\""),
            ("`src/cart.rs` and `limits.py` hold them", ""),
            ("It takes 50,000 rows, the 3rd time 30s.", "50000 30"),
            ("RETRIES = 5 tries", "RETRIES 5"),
            ("HTTP and JSON are spoken", ""),
            ("reset() clears all", "reset"),
            ("An open ` backquote and MAX_ITEMS", "MAX_ITEMS"),
        ] {
            let statement = Statement::of(text);
            let found: Vec<String> = statement.wanted().map(SearchedPart::shown).collect();
            assert_eq!(found.join(" "), expect, "{text}");
        }
    }

    #[test]
    fn what_is_not_looked_for_is_noted() {
        let names = |count: usize| (0..count).map(|at| format!("MAX_{at}")).collect::<Vec<_>>().join(" ");
        let numbers =
            |count: usize| (100..100 + count).map(|at| at.to_string()).collect::<Vec<_>>().join(" ");
        let quotes = |count: usize| (0..count).map(|at| format!("\"q{at}\"")).collect::<Vec<_>>().join(" ");
        // Few names and numbers, and many pairs of them.
        let values = |count: usize| {
            (0..count).map(|at| format!("MAX_{} = {}. ", at / 20, 100 + at % 20)).collect::<String>()
        };
        let quote = |bytes: usize| format!("MAX_ITEMS is \"{}\"", "x".repeat(bytes));
        let (most, longest) =
            (loci_model::limits::SUPPORT_NAMES_MAX, loci_model::limits::SUPPORT_QUOTE_BYTES_MAX);
        for (text, is_cut) in [
            (names(most), false),
            (names(most + 1), true),
            (format!("{} MAX_1", names(most)), false),
            (numbers(most), false),
            (numbers(most + 1), true),
            (quotes(most), false),
            (quotes(most + 1), true),
            (values(loci_model::limits::SUPPORT_VALUES_MAX), false),
            (values(loci_model::limits::SUPPORT_VALUES_MAX + 1), true),
            ("MAX = 5. ".repeat(loci_model::limits::SUPPORT_VALUES_MAX + 1), false),
            (quote(longest), false),
            (quote(longest + 1), true),
            (format!("`{}`", quote(longest + 1)), true),
        ] {
            assert_eq!(Statement::of(&text).is_cut, is_cut, "{text}");
        }
    }

    #[test]
    fn a_value_is_given_to_a_name_only_in_so_many_words() {
        for (text, expect) in [
            ("A cart holds MAX_ITEMS = 50 items", "MAX_ITEMS=50"),
            ("MAX_ITEMS is 50.", "MAX_ITEMS=50"),
            ("`max_items` (50) and RETRIES: 3", "max_items=50 RETRIES=3"),
            ("MODE = \"fast\", DEBUG is true", "MODE=\"fast\" DEBUG=true"),
            ("MAX_ROWS is 50,000.", "MAX_ROWS=50000"),
            ("the limit is 50", ""),
            ("TIMEOUT is 30 seconds", ""),
            ("TIMEOUT = 30s", ""),
            ("RATIO = 50%", ""),
            ("MAX_ITEMS = 50 or 60", ""),
            ("MAX_ITEMS = 50 * 2", ""),
            ("MAX_ITEMS was 60, MAX_ITEMS = 50", ""),
            ("MAX_ITEMS is not 50", ""),
            ("VERSION = 2.1.5", ""),
        ] {
            let statement = Statement::of(text);
            let shown = |one: &Binding| format!("{}={}", one.name, one.value.shown());
            let found: Vec<String> = statement.bindings.iter().map(shown).collect();
            assert_eq!(found.join(" "), expect, "{text}");
        }
    }
}
