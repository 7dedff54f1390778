//! Parsing of a command from a model. Unknown members are ignored. Missing members and those of a
//! wrong type are reported to the model.

use serde_json::Value;

/// A command of the memory tool, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    View {
        path: String,
        range: Option<(i128, i128)>,
    },
    Create {
        path: String,
        text: String,
    },
    Replace {
        path: String,
        old: String,
        new: String,
    },
    Insert {
        path: String,
        /// The number of the line after which the text is inserted.
        line: i128,
        text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        old: String,
        new: String,
    },
}

impl Command {
    /// Parses a command. Returns the error text for the model if it is invalid.
    pub(super) fn read(input: &Value) -> Result<Self, String> {
        let path = || text(input, "path");
        match text(input, "command")?.as_str() {
            "view" => Ok(Self::View { path: path()?, range: range(input)? }),
            "create" => Ok(Self::Create { path: path()?, text: text(input, "file_text")? }),
            "str_replace" => {
                let (path, old) = (path()?, text(input, "old_str")?);
                if old.is_empty() {
                    return Err("Parameter `old_str` must not be empty.".to_owned());
                }
                Ok(Self::Replace { path, old, new: optional_text(input, "new_str")?.unwrap_or_default() })
            }
            "insert" => Ok(Self::Insert {
                path: path()?,
                line: integer(input, "insert_line")?,
                text: text(input, "insert_text")?,
            }),
            "delete" => Ok(Self::Delete { path: path()? }),
            "rename" => Ok(Self::Rename { old: text(input, "old_path")?, new: text(input, "new_path")? }),
            other => Err(format!("Unknown command: {other}")),
        }
    }
}

/// Returns a member of the command. A null counts as absent.
fn member<'a>(input: &'a Value, name: &str) -> Option<&'a Value> {
    input.get(name).filter(|value| !value.is_null())
}

fn missing(name: &str) -> String {
    format!("Missing parameter: `{name}`")
}

fn wrong(name: &str, expected: &str) -> String {
    format!("Parameter `{name}` must be {expected}.")
}

fn text(input: &Value, name: &str) -> Result<String, String> {
    optional_text(input, name)?.ok_or_else(|| missing(name))
}

fn optional_text(input: &Value, name: &str) -> Result<Option<String>, String> {
    let Some(value) = member(input, name) else { return Ok(None) };
    let text = value.as_str().ok_or_else(|| wrong(name, "a string"))?;
    Ok(Some(text.to_owned()))
}

fn integer(input: &Value, name: &str) -> Result<i128, String> {
    let value = member(input, name).ok_or_else(|| missing(name))?;
    whole(value).ok_or_else(|| wrong(name, "an integer"))
}

fn range(input: &Value) -> Result<Option<(i128, i128)>, String> {
    let Some(value) = member(input, "view_range") else { return Ok(None) };
    let pair = match value.as_array().map(Vec::as_slice) {
        Some([first, last]) => whole(first).zip(whole(last)),
        _ => None,
    };
    pair.map(Some).ok_or_else(|| wrong("view_range", "a list of two integers"))
}

/// Returns a number that is written as an integer, without fraction or exponent.
fn whole(value: &Value) -> Option<i128> {
    value.as_number()?.to_string().parse().ok()
}
