//! The tokens of a sentence: words, numbers and signs, with their places. Pure; one pass over the
//! text.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, with digits and joining signs inside: `p99`, `api-server`, `req/s`, `5xx`.
    Word,
    /// Digits, with groups and a fraction: `1,200`, `0.5`.
    Number,
    /// One sign.
    Sign,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// The token as it is written.
    pub(super) text: &'a str,
    /// The token in lower case.
    pub(super) lower: String,
    /// The token directly follows the one before it, without a space.
    pub(super) is_attached: bool,
}

/// The tokens of a sentence.
#[derive(Debug)]
pub(super) struct Tokens<'a>(Vec<Token<'a>>);

impl<'a> Tokens<'a> {
    /// Reads the tokens of a text.
    pub(super) fn of(text: &'a str) -> Self {
        let mut tokens = Vec::new();
        let (mut rest, mut is_attached) = (text, false);
        while let Some(first) = rest.chars().next() {
            let is_unit =
                is_attached && tokens.last().is_some_and(|last: &Token<'_>| last.kind == Kind::Number);
            let (kind, length) = next(rest, first, is_unit);
            let (token, after) = rest.split_at(length);
            rest = after;
            match kind {
                None => is_attached = false,
                Some(kind) => {
                    tokens.push(Token { kind, text: token, lower: token.to_lowercase(), is_attached });
                    is_attached = true;
                }
            }
        }
        Self(tokens)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.0.get(at)
    }

    /// Returns the word at a place in lower case; empty where no word is there.
    pub(super) fn word(&self, at: usize) -> &str {
        self.get(at).filter(|token| token.kind == Kind::Word).map_or("", |token| token.lower.as_str())
    }

    /// Returns the sign at a place; empty where no sign is there.
    pub(super) fn sign(&self, at: usize) -> &'a str {
        self.get(at).filter(|token| token.kind == Kind::Sign).map_or("", |token| token.text)
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.kind == Kind::Number)
    }

    pub(super) fn is_attached(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.is_attached)
    }
}

/// The kind and the length of the next token; no kind for what only separates.
fn next(rest: &str, first: char, is_unit: bool) -> (Option<Kind>, usize) {
    if first == '\n' {
        return (Some(Kind::Sign), 1);
    }
    if first.is_whitespace() || matches!(first, '"' | '`' | '*' | '\u{201c}' | '\u{201d}') {
        return (None, first.len_utf8());
    }
    if first.is_ascii_digit() {
        return number(rest);
    }
    if first.is_alphabetic() || first == '_' {
        return (Some(Kind::Word), word_length(rest, is_unit));
    }
    let fraction = rest.strip_prefix('.').filter(|after| after.starts_with(|one: char| one.is_ascii_digit()));
    match fraction {
        Some(after) => {
            let (kind, length) = number(after);
            (kind, length.saturating_add(1))
        }
        None => (Some(Kind::Sign), first.len_utf8()),
    }
}

/// A number, or a word that begins with digits: a version, an address, an ordinal, a class of
/// status codes.
fn number(rest: &str) -> (Option<Kind>, usize) {
    let bytes = rest.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let digits =
        |from: usize| rest.get(from..).map_or(0, |text| text.bytes().take_while(u8::is_ascii_digit).count());
    let mut end = digits(0);
    while bytes.get(end) == Some(&b',') && digits(end.saturating_add(1)) == 3 {
        end = end.saturating_add(4);
    }
    let mut fractions = 0;
    while bytes.get(end) == Some(&b'.') && is_digit(end.saturating_add(1)) {
        end = end.saturating_add(1).saturating_add(digits(end.saturating_add(1)));
        fractions += 1;
    }
    let letters = rest.get(end..).unwrap_or_default();
    let length = letters.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let suffix = letters.get(..length).unwrap_or_default().to_ascii_lowercase();
    if matches!(suffix.as_str(), "st" | "nd" | "rd" | "th" | "xx") {
        return (Some(Kind::Word), end.saturating_add(length));
    }
    let kind = if fractions > 1 { Kind::Word } else { Kind::Number };
    (Some(kind), end)
}

/// The length of a word; a joining sign belongs to it where a letter or a digit follows. A unit
/// behind its number ends at a dash.
fn word_length(rest: &str, is_unit: bool) -> usize {
    let mut signs = rest.char_indices().peekable();
    let mut end = 0;
    while let Some((at, sign)) = signs.next() {
        let is_joining = sign == '/' || (!is_unit && matches!(sign, '-' | '.' | '\'' | '\u{2019}'));
        let joins = is_joining && signs.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !(sign.is_alphanumeric() || sign == '_' || joins) {
            break;
        }
        end = at.saturating_add(sign.len_utf8());
    }
    end
}
