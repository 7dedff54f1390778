//! Parses claims from JSON: one object each, with its kind and exactly the operands of that kind. A
//! claim that could never be evaluated is rejected here, with the name of the wrong member.

use loci_model::facts::claim::Claim;
use loci_model::{Error, ErrorText, Result};
use loci_text::code_path::check_path;
use serde_json::{Map, Value};

use super::pattern::ClaimPattern;
use crate::verifier::names::glob::Glob;

/// The maximum number of claims of one record.
const CLAIMS_MAX: usize = 20;
/// The longest pattern, in characters.
const REGEX_CHARS_MAX: usize = 500;
/// The longest literal, in characters.
const LITERAL_CHARS_MAX: usize = 500;
/// The longest name of a symbol, in characters.
const NAME_CHARS_MAX: usize = 200;
/// The longest pointer, in characters.
const POINTER_CHARS_MAX: usize = 300;

/// Parses claims. `field` is their name in messages; `citations` is the number of the record's
/// citations.
///
/// # Errors
/// An error for an invalid claim: `field[2].regex` names the member.
pub fn read_claims(values: &[Value], field: &str, citations: usize) -> Result<Vec<Claim>> {
    if values.len() > CLAIMS_MAX {
        return Err(Error::invalid(field, format!("A record has at most {CLAIMS_MAX} claims.")));
    }
    values
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let field = format!("{field}[{index}]");
            let claim = read_claim(value, &field)?;
            check_claim(&claim, &field, citations)?;
            Ok(claim)
        })
        .collect()
}

fn read_claim(value: &Value, field: &str) -> Result<Claim> {
    let Some(object) = value.as_object() else {
        return Err(Error::invalid(field, "A claim is an object with `kind` and the operands of that kind."));
    };
    let operands = Operands { object, field };
    let kind = operands.text("kind")?;
    let (claim, names): (Claim, &[&str]) = match kind.as_str() {
        "contains" => (
            Claim::Contains { citation: operands.index("citation")?, literal: operands.text("literal")? },
            &["citation", "literal"],
        ),
        "matches" => (
            Claim::Matches { citation: operands.index("citation")?, regex: operands.text("regex")? },
            &["citation", "regex"],
        ),
        "equals" => (
            Claim::Equals {
                citation: operands.index("citation")?,
                regex: operands.text("regex")?,
                literal: operands.text("literal")?,
            },
            &["citation", "regex", "literal"],
        ),
        "same_capture" => (
            Claim::SameCapture {
                citations: operands.indexes("citations")?,
                regexes: operands.texts("regexes")?,
            },
            &["citations", "regexes"],
        ),
        "absent" => (
            Claim::Absent { glob: operands.text("glob")?, regex: operands.text("regex")? },
            &["glob", "regex"],
        ),
        "every_file" => (
            Claim::EveryFile { glob: operands.text("glob")?, regex: operands.text("regex")? },
            &["glob", "regex"],
        ),
        "path_exists" => (Claim::PathExists { path: operands.text("path")? }, &["path"]),
        "path_absent" => (Claim::PathAbsent { path: operands.text("path")? }, &["path"]),
        "symbol_defined" => (
            Claim::SymbolDefined { path: operands.text("path")?, name: operands.text("name")? },
            &["path", "name"],
        ),
        "config_value" => (
            Claim::ConfigValue {
                path: operands.text("path")?,
                pointer: operands.text("pointer")?,
                literal: operands.text("literal")?,
            },
            &["path", "pointer", "literal"],
        ),
        _ => return Err(operands.wrong("kind", "There is no such kind of claim.")),
    };
    operands.no_others(names)?;
    Ok(claim)
}

/// The members of one claim.
struct Operands<'a> {
    object: &'a Map<String, Value>,
    field: &'a str,
}

impl Operands<'_> {
    fn wrong(&self, name: &str, why: impl Into<ErrorText>) -> Error {
        Error::invalid(format!("{}.{name}", self.field), why)
    }

    fn of(&self, name: &str) -> Result<&Value> {
        self.object.get(name).ok_or_else(|| self.wrong(name, "This kind of claim needs it."))
    }

    fn text(&self, name: &str) -> Result<String> {
        self.of(name)?.as_str().map(str::to_owned).ok_or_else(|| self.wrong(name, "It is a text."))
    }

    fn index(&self, name: &str) -> Result<usize> {
        self.number(name, self.of(name)?)
    }

    fn number(&self, name: &str, value: &Value) -> Result<usize> {
        let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
        index.ok_or_else(|| self.wrong(name, "It is a place among the citations, from 0."))
    }

    fn list(&self, name: &str) -> Result<&Vec<Value>> {
        self.of(name)?.as_array().ok_or_else(|| self.wrong(name, "It is a list."))
    }

    fn indexes(&self, name: &str) -> Result<Vec<usize>> {
        self.list(name)?.iter().map(|value| self.number(name, value)).collect()
    }

    fn texts(&self, name: &str) -> Result<Vec<String>> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.list(name)?
            .iter()
            .map(|v| text(v).ok_or_else(|| self.wrong(name, "It is a list of texts.")))
            .collect()
    }

    fn no_others(&self, names: &[&str]) -> Result<()> {
        match self.object.keys().find(|key| *key != "kind" && !names.contains(&key.as_str())) {
            None => Ok(()),
            Some(other) => Err(self
                .wrong(other, format!("This kind of claim has no such operand, only {}.", names.join(", ")))),
        }
    }
}

/// Checks that a claim of a record with this number of citations can be evaluated.
///
/// # Errors
/// An error for a claim that cannot be evaluated, with the wrong member.
pub fn check_claim(claim: &Claim, field: &str, citations: usize) -> Result<()> {
    let check = Check { field, citations };
    match claim {
        Claim::Contains { citation, literal } => {
            check.citation("citation", *citation)?;
            check.filled("literal", literal, LITERAL_CHARS_MAX)
        }
        Claim::Matches { citation, regex } => {
            check.citation("citation", *citation)?;
            check.regex("regex", regex, None)
        }
        Claim::Equals { citation, regex, literal } => {
            check.citation("citation", *citation)?;
            check.regex("regex", regex, Some(1))?;
            check.length("literal", literal, LITERAL_CHARS_MAX)
        }
        Claim::SameCapture { citations, regexes } => check.same_capture(citations, regexes),
        Claim::Absent { glob, regex } | Claim::EveryFile { glob, regex } => {
            Glob::parse(glob)
                .map_err(|bad| check.wrong("glob", format!("It is no pattern of paths: {}.", bad.0)))?;
            check.regex("regex", regex, None)
        }
        Claim::PathExists { path } | Claim::PathAbsent { path } => check.path(path),
        Claim::SymbolDefined { path, name } => {
            check.path(path)?;
            check.filled("name", name, NAME_CHARS_MAX)
        }
        Claim::ConfigValue { path, pointer, literal } => {
            check.path(path)?;
            check.length("literal", literal, LITERAL_CHARS_MAX)?;
            check.length("pointer", pointer, POINTER_CHARS_MAX)?;
            if pointer.starts_with('/') {
                Ok(())
            } else {
                Err(check
                    .wrong("pointer", "A JSON pointer to a value begins with `/`, as in `/package/version`."))
            }
        }
    }
}

struct Check<'a> {
    field: &'a str,
    citations: usize,
}

impl Check<'_> {
    fn wrong(&self, name: &str, why: impl Into<ErrorText>) -> Error {
        Error::invalid(format!("{}.{name}", self.field), why)
    }

    fn citation(&self, name: &str, index: usize) -> Result<()> {
        if index < self.citations {
            return Ok(());
        }
        Err(self.wrong(name, format!("There are {} citations; the first is 0.", self.citations)))
    }

    fn length(&self, name: &str, text: &str, chars_max: usize) -> Result<()> {
        if text.chars().count() <= chars_max {
            return Ok(());
        }
        Err(self.wrong(name, format!("It has at most {chars_max} characters.")))
    }

    fn filled(&self, name: &str, text: &str, chars_max: usize) -> Result<()> {
        if text.trim().is_empty() {
            return Err(self.wrong(name, "It is not empty."));
        }
        self.length(name, text, chars_max)
    }

    fn regex(&self, name: &str, source: &str, captures: Option<usize>) -> Result<()> {
        self.filled(name, source, REGEX_CHARS_MAX)?;
        let Some(pattern) = ClaimPattern::parse(source) else {
            let why = "It is no pattern in RE2's syntax, or compiles to more than 256 KiB; `(?-u:\\w)` is smaller than `\\w`.";
            return Err(self.wrong(name, why));
        };
        match captures {
            Some(count) if pattern.groups() != count => {
                Err(self.wrong(name, "It has exactly one capture group; others are written `(?:…)`."))
            }
            _ => Ok(()),
        }
    }

    fn same_capture(&self, citations: &[usize], regexes: &[String]) -> Result<()> {
        if citations.len() < 2 {
            return Err(self.wrong("citations", "It names two citations or more."));
        }
        citations.iter().try_for_each(|index| self.citation("citations", *index))?;
        if regexes.len() != 1 && regexes.len() != citations.len() {
            return Err(self.wrong("regexes", "It holds one pattern for all citations, or one for each."));
        }
        regexes.iter().try_for_each(|regex| self.regex("regexes", regex, Some(1)))
    }

    fn path(&self, path: &str) -> Result<()> {
        check_path(path)
            .map_err(|rejected| self.wrong("path", format!("The path is refused: {}.", rejected.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn claims_name_what_is_wrong_with_them() {
        for (claim, expect) in [
            (json!({"kind": "contains", "citation": 0, "literal": "x"}), None),
            (json!({"kind": "equals", "citation": 1, "regex": "v=(\\d+)", "literal": "3"}), None),
            (json!({"kind": "same_capture", "citations": [0, 1], "regexes": ["v(.)"]}), None),
            (json!({"kind": "absent", "glob": "**/*.rs", "regex": "unsafe"}), None),
            (json!({"kind": "path_absent", "path": "a/b"}), None),
            (json!({"kind": "symbol_defined", "path": "a.rs", "name": "main"}), None),
            (
                json!({"kind": "config_value", "path": "Cargo.toml", "pointer": "/package/version", "literal": "1"}),
                None,
            ),
            (json!("contains"), Some("claims[0]")),
            (json!({}), Some("claims[0].kind")),
            (json!({"kind": "holds"}), Some("claims[0].kind")),
            (json!({"kind": "contains", "citation": 0}), Some("claims[0].literal")),
            (json!({"kind": "contains", "citation": 0, "literal": " "}), Some("claims[0].literal")),
            (json!({"kind": "contains", "citation": 2, "literal": "x"}), Some("claims[0].citation")),
            (json!({"kind": "contains", "citation": -1, "literal": "x"}), Some("claims[0].citation")),
            (
                json!({"kind": "contains", "citation": 0, "literal": "x", "regex": "y"}),
                Some("claims[0].regex"),
            ),
            (json!({"kind": "matches", "citation": 0, "regex": "("}), Some("claims[0].regex")),
            (json!({"kind": "matches", "citation": 0, "regex": "a".repeat(501)}), Some("claims[0].regex")),
            (json!({"kind": "matches", "citation": 0, "regex": "a{1000}{1000}"}), Some("claims[0].regex")),
            (
                json!({"kind": "equals", "citation": 0, "regex": "no group", "literal": "3"}),
                Some("claims[0].regex"),
            ),
            (
                json!({"kind": "same_capture", "citations": [0], "regexes": ["(a)"]}),
                Some("claims[0].citations"),
            ),
            (json!({"kind": "same_capture", "citations": [0, 1], "regexes": []}), Some("claims[0].regexes")),
            (
                json!({"kind": "same_capture", "citations": [0, 1], "regexes": "(a)"}),
                Some("claims[0].regexes"),
            ),
            (json!({"kind": "absent", "glob": "[", "regex": "x"}), Some("claims[0].glob")),
            (json!({"kind": "path_exists", "path": "../x"}), Some("claims[0].path")),
            (
                json!({"kind": "config_value", "path": "a", "pointer": "b", "literal": "1"}),
                Some("claims[0].pointer"),
            ),
        ] {
            let read = read_claims(std::slice::from_ref(&claim), "claims", 2);
            assert_eq!(read.err().and_then(|error| error.field).as_deref(), expect, "{claim}");
        }
        let many = vec![json!({"kind": "path_exists", "path": "a"}); 21];
        assert!(read_claims(&many, "claims", 1).is_err());
    }
}
