//! Code as shown to a caller. Cited code is text of another author, and its reader is a model or a
//! terminal. Hashes and verdicts refer to the original lines. Only the shown text is cleaned, and
//! the answer states this.

use loci_engine::safety;

/// A piece of code that is safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownCode {
    /// The text.
    pub(crate) text: String,
    /// True if invisible characters or terminal escapes were removed.
    pub(crate) hidden: bool,
    /// The kinds of masked secrets, sorted and without duplicates.
    pub(crate) masked: Vec<&'static str>,
}

impl ShownCode {
    /// Returns the part of a text that may be shown.
    pub(crate) fn of(text: &str) -> Self {
        let (text, hidden, masked) = safety::shown_code(text);
        Self { text, hidden, masked: masked.into_iter().map(|kind| kind.as_str()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_hides_nothing_and_keeps_the_rest() {
        let check = |text: &str, expect: &str, hidden: bool, masked: &[&'static str]| {
            let expect = ShownCode { text: expect.to_owned(), hidden, masked: masked.to_vec() };
            assert_eq!(ShownCode::of(text), expect, "{text:?}");
        };
        check("fn a() {\n\tb(\"é\");\n}\n", "fn a() {\n\tb(\"é\");\n}\n", false, &[]);
        check("a \u{202e}b\u{1b}[31m c", "a b c", true, &[]);
        check("<!-- <b>x</b> -->", "<!-- <b>x</b> -->", false, &[]);
        let key = ["let k = \"AKIA", "IOSFODNN7EXAMPLE\";"].concat();
        check(&key, "let k = \"[REDACTED:aws_access_key]\";", false, &["aws_access_key"]);
        let cut = ["AKIA\u{200b}IOSFODNN7", "EXAMPLE"].concat();
        check(&cut, "[REDACTED:aws_access_key]", true, &["aws_access_key"]);
    }
}
