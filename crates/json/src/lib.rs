//! JSON that other programs wrote: requests, hooks, exports, answers of models and services.
//!
//! Programs cut text at a number of UTF-16 units and thereby cut emoji in two. The half is a lone
//! surrogate: `\ud83d` is JSON by its grammar, but no Unicode text. Every reader of foreign JSON
//! uses this crate. It replaces a lone surrogate by U+FFFD and logs a warning, so that half a
//! letter never costs a request, a line or a conversation. For the same reason foreign files of
//! every format become text here ([`text_of`]) and lose their byte order mark ([`without_mark`]).
//!
//! Every reader here reads a struct from an object only. The code that serde derives also accepts
//! an array, and `[]` would mean a struct of defaults ([`strict`](strict())).
//!
//! `serde_json` reads the text that Loci wrote itself (rows of a store). This crate does *not*
//! repair JSON in any other way: malformed JSON stays an error.

mod byte_order_mark;
mod strict;
mod surrogates;
mod unreadable;

use std::borrow::Cow;

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::{Result, Value};

use strict::{ErrorPath, Strict};

pub use byte_order_mark::{BYTE_ORDER_MARK, bytes_without_mark, without_mark};
pub use surrogates::{ForeignText, RepairedText, repair, text_of};
pub use unreadable::Unreadable;

/// Reads a value. The strict parser runs first. The function searches only a text that this parser
/// rejects for lone surrogates.
///
/// A type that keeps parts as raw text (`RawValue`) accepts lone surrogates in them: read
/// [`repaired`] text for such a type.
///
/// # Errors
/// The strict parser's error, if the text is not JSON or does not match the type.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T> {
    read(text).map_err(|unreadable| unreadable.error)
}

/// Reads a value from text, like [`from_slice`].
///
/// # Errors
/// Like [`from_slice`].
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T> {
    from_slice(text.as_bytes())
}

/// Reads a value like [`from_slice`]. The error has the path of the unreadable value.
///
/// # Errors
/// Like [`from_slice`].
pub fn read<T: DeserializeOwned>(text: &[u8]) -> std::result::Result<T, Unreadable> {
    parse(text).or_else(|unreadable| match repair(text) {
        Some(repaired) => parse(&repaired.text),
        None => Err(unreadable),
    })
}

/// Reads a value that may borrow from its text, which the caller has [`repaired`].
///
/// # Errors
/// Like [`from_slice`].
pub fn from_repaired<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T> {
    parse(text).map_err(|unreadable| unreadable.error)
}

/// Reads a typed value from a JSON value of another program.
///
/// # Errors
/// The value does not match the type.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> std::result::Result<T, Unreadable> {
    let path = ErrorPath::default();
    T::deserialize(Strict::new(value, &path)).map_err(|error| Unreadable { path: path.resolve(value), error })
}

/// Reads a value from a deserializer, a struct from an object only. A flattened member or a member
/// that serde buffers for another reason names this function as `deserialize_with`.
///
/// # Errors
/// The deserializer's error, if the input does not match the type.
pub fn strict<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> std::result::Result<T, D::Error> {
    T::deserialize(Strict::new(input, &ErrorPath::default()))
}

fn parse<'de, T: Deserialize<'de>>(text: &'de [u8]) -> std::result::Result<T, Unreadable> {
    let path = ErrorPath::default();
    let mut parser = serde_json::Deserializer::from_slice(text);
    let value = T::deserialize(Strict::new(&mut parser, &path));
    value.and_then(|value| parser.end().map(|()| value)).map_err(|error| {
        let mut again = serde_json::Deserializer::from_slice(text);
        Unreadable { path: path.resolve(&mut again), error }
    })
}

/// Returns the text without lone surrogates; the text itself if it has none. For types that borrow
/// from it.
#[must_use]
pub fn repaired(text: &[u8]) -> Cow<'_, [u8]> {
    repair(text).map_or(Cow::Borrowed(text), |repaired| Cow::Owned(repaired.text))
}

/// Returns text without lone surrogates, like [`repaired`].
#[must_use]
pub fn repaired_text(text: &str) -> Cow<'_, str> {
    let repaired = repair(text.as_bytes()).and_then(|repaired| String::from_utf8(repaired.text).ok());
    repaired.map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn values_are_read_whether_or_not_a_letter_is_cut() {
        let text = |json: &str| from_str::<Value>(json).map(|value| value["a"].clone());
        for (json, expect) in [
            (r#"{"a":"plain"}"#, "plain"),
            (r#"{"a":"\ud83d\ude00"}"#, "😀"),
            (r#"{"a":"cut \ud83d"}"#, "cut \u{fffd}"),
            (r#"{"a":"\ude00 cut","b":{"\ud83d":1}}"#, "\u{fffd} cut"),
        ] {
            assert_eq!(text(json).unwrap(), expect, "{json}");
            assert_eq!(from_slice::<Value>(json.as_bytes()).unwrap()["a"], expect, "{json}");
        }
        for json in ["", "{", r#"{"a":"\ud83d"#, r#"{"a":"\ud8"}"#] {
            assert!(text(json).is_err(), "{json}");
        }
        assert_eq!(from_slice::<Value>(b"{\"a\":\"\xed\xa0\xbd\"}").unwrap()["a"], "\u{fffd}");
    }

    /// A struct of which `[]` would be a value if an array were accepted.
    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Inner {
        count: u8,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Pair(u8, u8);

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Wrapper(Inner);

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Choice {
        Unit,
        Content(Inner),
        Tuple(u8, Inner),
        Fields { inner: Inner },
    }

    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    struct Buffered {
        #[serde(flatten, deserialize_with = "strict")]
        named: BTreeMap<String, Inner>,
    }

    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Outer {
        inner: Inner,
        option: Option<Box<Inner>>,
        list: Vec<Inner>,
        map: BTreeMap<String, Inner>,
        tuple: Option<(u8, Inner)>,
        pair: Option<Pair>,
        wrapper: Option<Wrapper>,
        choice: Option<Choice>,
        choices: Vec<Choice>,
        buffered: Buffered,
        value: Value,
        number: Option<serde_json::Number>,
        float: f64,
        unit: (),
        outer: Option<Box<Outer>>,
    }

    #[derive(Debug, serde::Deserialize)]
    struct Raw {
        raw: Box<serde_json::value::RawValue>,
        inner: Inner,
    }

    #[test]
    fn structs_are_objects_at_every_depth() {
        for json in [
            r#"{"inner":{},"option":{"count":1},"list":[{},{"count":2}],"map":{"a":{}}}"#,
            r#"{"tuple":[1,{}],"pair":[1,2],"wrapper":{"count":3},"unit":null,"option":null}"#,
            r#"{"choice":"unit","choices":[{"content":{}},{"tuple":[1,{}]},{"fields":{"inner":{}}}]}"#,
            r#"{"buffered":{"a":{},"b":{}},"value":[[],{"a":[1.50,"x"]}]}"#,
            r#"{"number":1.50,"float":1e2,"outer":{"outer":{"pair":[1,2]}}}"#,
        ] {
            let read = from_slice::<Outer>(json.as_bytes()).map(drop);
            assert!(read.is_ok(), "{json}: {read:?}");
            let value: Value = serde_json::from_str(json).unwrap();
            let read = from_value::<Outer>(&value).map(drop);
            assert!(read.is_ok(), "{json}: {read:?}");
        }
        for (json, path) in [
            ("[]", ""),
            (r#"{"inner":[]}"#, "inner"),
            (r#"{"inner":[1]}"#, "inner"),
            (r#"{"option":[]}"#, "option"),
            (r#"{"list":[{},[]]}"#, "list[1]"),
            (r#"{"map":{"a":{},"b":[]}}"#, "map.b"),
            (r#"{"tuple":[1,[]]}"#, "tuple[1]"),
            (r#"{"wrapper":[]}"#, "wrapper"),
            (r#"{"choice":{"content":[]}}"#, "choice.content"),
            (r#"{"choices":["unit",{"tuple":[1,[]]}]}"#, "choices[1].tuple[1]"),
            (r#"{"choice":{"fields":[{}]}}"#, "choice.fields"),
            (r#"{"choice":{"fields":{"inner":[]}}}"#, "choice.fields.inner"),
            (r#"{"buffered":{"a":[]}}"#, "buffered"),
            (r#"{"float":1,"outer":{"outer":{"list":[[]]}}}"#, "outer.outer.list[0]"),
        ] {
            let refused = read::<Outer>(json.as_bytes()).unwrap_err();
            assert!(refused.error.to_string().contains("expected an object"), "{json}: {refused}");
            assert_eq!(refused.path, path, "{json}");
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(from_value::<Outer>(&value).unwrap_err().path, path, "{json}");
        }
    }

    #[test]
    fn errors_have_the_path_of_their_value() {
        for (json, path) in [
            (r#"{"inner":{"count":"x"},"list":[]}"#, "inner.count"),
            (r#"{"inner":{"count":256}}"#, "inner.count"),
            (r#"{"list":[{"count":1},{"cuont":1}]}"#, "list[1]"),
            (r#"{"pair":[1]}"#, "pair"),
            (r#"{"pair":[1,"x"], not JSON"#, "pair[1]"),
            (r#"{"choice":"other"}"#, "choice"),
        ] {
            assert_eq!(read::<Outer>(json.as_bytes()).unwrap_err().path, path, "{json}");
        }
        let refused = read::<Outer>(br#"{"inner":{"count":"x"}}"#).unwrap_err().to_string();
        assert!(refused.starts_with("inner.count: invalid type: string \"x\""), "{refused}");
    }

    #[test]
    fn raw_text_and_numbers_stay_as_written() {
        let read: Raw = from_str(r#"{"raw":[ 1.50,[] ],"inner":{"count":7}}"#).unwrap();
        assert_eq!((read.raw.get(), read.inner.count), ("[ 1.50,[] ]", 7));
        assert!(from_str::<Raw>(r#"{"raw":[],"inner":[7]}"#).is_err());
        let read: Outer = from_str(r#"{"number":1.5,"value":[2,-3,0.25]}"#).unwrap();
        assert_eq!(read.number.and_then(|number| number.as_f64()), Some(1.5));
        assert_eq!(read.value.to_string(), "[2,-3,0.25]");
        let text = br#"{"a":"b"}"#;
        assert_eq!(from_repaired::<BTreeMap<&str, &str>>(text).unwrap()["a"], "b");
    }

    #[test]
    fn text_that_needs_no_repair_is_the_same_text() {
        assert!(matches!(repaired(br#"{"a":"\ud83d\ude00\n"}"#), Cow::Borrowed(_)));
        assert!(matches!(repaired_text("\\u00e9 é"), Cow::Borrowed(_)));
        assert_eq!(repaired_text(r#""x\udead""#), r#""x\ufffd""#);
    }
}
