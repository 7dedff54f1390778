//! The tokenizer of an encoder: converts a text to windows of ids with the model's own marks around
//! each. Windows overlap by an eighth. The tokenizer's file states the number of ids of a window,
//! with 512 as the default.

use loci_model::{Error, Result};
use serde::Deserialize;
use serde_json::{Number, Value};
use tokenizers::tokenizer::{Encoding, Tokenizer};
use tokenizers::{PostProcessor, TruncationDirection};

/// The maximum number of ids of a window, unless the file states less.
const IDS_MAX: usize = 512;
/// The minimum number of ids of a window, which leaves room between the marks.
const IDS_MIN: usize = 8;
/// The divisor of the overlap: an eighth of a window is repeated in the next one.
const SHARE: usize = 8;

/// A part of a text, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Window {
    /// Ids of tokens.
    pub(crate) ids: Vec<i32>,
    /// The segment of each token: the first or a second text.
    pub(crate) kinds: Vec<i32>,
}

/// Splits texts into windows.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    /// Ids of a window, without the model's marks.
    room: usize,
    /// Ids that a window shares with the previous one.
    shared: usize,
}

impl Tokens {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// Invalid: the file is not a tokenizer.
    pub(crate) fn read(json: &[u8]) -> Result<Self> {
        let broken = |why: String| {
            let rule = format!("embedder.tokenizer is no tokenizer.json that can be read: {why}");
            Error::invalid("embedder.tokenizer", rule)
        };
        let mut value: Value = serde_json::from_slice(json).map_err(|error| broken(error.to_string()))?;
        plain_numbers(&mut value);
        let mut tokenizer = Tokenizer::deserialize(&value).map_err(|error| broken(error.to_string()))?;
        let said = tokenizer.get_truncation().map_or(IDS_MAX, |truncation| truncation.max_length);
        let ids = said.min(IDS_MAX);
        if ids < IDS_MIN {
            return Err(broken(format!("truncation.max_length must be at least {IDS_MIN}")));
        }
        let marks = tokenizer.get_post_processor().map_or(0, |marks| marks.added_tokens(false));
        let (room, shared) = (ids.saturating_sub(marks), ids / SHARE);
        if room <= shared {
            return Err(broken("its marks leave no room for a text".to_owned()));
        }
        // The tokenizer's own truncation would drop the text after the first window.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| broken(error.to_string()))?;
        Ok(Self { tokenizer, room, shared })
    }

    /// Returns the windows of a text, at least one.
    ///
    /// # Errors
    /// Unavailable: the tokenizer cannot process the text.
    pub(crate) fn windows(&self, text: &str) -> Result<Vec<Window>> {
        let marked = || {
            let mut encoding = self.tokenizer.encode_fast(text, false)?;
            encoding.truncate(self.room, self.shared, TruncationDirection::Right);
            self.tokenizer.post_process(encoding, None, true)
        };
        let encoding = marked().map_err(|error: tokenizers::Error| {
            Error::unavailable(format!("The embedder's tokenizer cannot read a text: {error}"))
        })?;
        std::iter::once(&encoding).chain(encoding.get_overflowing()).map(window).collect()
    }
}

fn window(encoding: &Encoding) -> Result<Window> {
    let narrow = |ids: &[u32]| ids.iter().map(|id| i32::try_from(*id)).collect::<std::result::Result<_, _>>();
    let read = || {
        Some(Window { ids: narrow(encoding.get_ids()).ok()?, kinds: narrow(encoding.get_type_ids()).ok()? })
    };
    read().ok_or_else(|| Error::unavailable("The embedder's tokenizer gives ids that no model has."))
}

/// Converts numbers to plain ones: this workspace's JSON keeps their digits, but the tokenizer's
/// parsers expect numbers.
fn plain_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            if let Some(plain) = number.as_f64().and_then(Number::from_f64) {
                *number = plain;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain_numbers),
        Value::Object(members) => members.values_mut().for_each(plain_numbers),
        Value::Number(_) | Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format of multilingual models: pieces with scores.
    const PIECES: &str = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
        {"id": 0, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}}], "pair": [{"Sequence": {"id": "A", "type_id": 0}},
            {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
        "decoder": null,
        "model": {"type": "Unigram", "unk_id": 1, "byte_fallback": false, "vocab": [["<s>", 0.0], ["<unk>", 0.0],
            ["▁Boot", -3.1400000000000001], ["▁B", -9.5], ["oot", -10.000000], ["e", -4.25e0]]}}"#;

    #[test]
    fn pieces_with_scores_are_read() {
        let tokens = Tokens::read(PIECES.as_bytes()).unwrap();
        let ids =
            |text: &str| tokens.windows(text).unwrap().into_iter().map(|one| one.ids).collect::<Vec<_>>();
        assert_eq!(ids("Boote"), [[0, 2, 5]]);
        assert_eq!(ids("Boot ?"), [vec![0, 2, 1]], "what is unknown is one id");
        let long = tokens.windows(&"Boot ".repeat(1_000)).unwrap();
        let lengths: Vec<_> = long.iter().map(|one| one.ids.len()).collect();
        assert_eq!(
            lengths,
            [512, 512, 1_001 - 2 * (511 - 64) + 1],
            "a window of its mark and 511, 64 of them shared"
        );
    }

    #[test]
    fn what_is_no_tokenizer_is_said() {
        let check = |json: &str, expect: &str| {
            let error = Tokens::read(json.as_bytes()).err().unwrap();
            assert_eq!(error.field.as_deref(), Some("embedder.tokenizer"));
            assert!(error.message.contains(expect), "{}", error.message);
        };
        check("{", "EOF");
        check("{}", "no tokenizer.json");
        check(
            &PIECES.replace(
                "\"truncation\": null",
                "\"truncation\": {\"direction\": \"Right\", \"max_length\": 4, \"strategy\": \"LongestFirst\", \"stride\": 0}",
            ),
            "at least 8",
        );
    }
}
