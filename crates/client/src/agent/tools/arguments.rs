//! The arguments of a tool call. Parsing is strict: a member outside of the tool's schema is an
//! error that names the member.

use serde_json::{Map, Value};

use super::ToolError;

/// The arguments of a tool call, as JSON members.
pub(super) struct CallArguments(Map<String, Value>);

impl CallArguments {
    pub(super) fn read(arguments: Value, known: &[&str]) -> Result<Self, ToolError> {
        let Value::Object(members) = arguments else {
            return Err(ToolError("the arguments must be an object".to_owned()));
        };
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                Err(ToolError(format!("{name} is no argument of this tool; known: {}", known.join(", "))))
            }
            None => Ok(Self(members)),
        }
    }

    /// Returns the text of a required member, which must not be blank.
    pub(super) fn text(&self, name: &str) -> Result<&str, ToolError> {
        match self.0.get(name).and_then(Value::as_str) {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(ToolError(format!("{name} must be a text that is not empty"))),
        }
    }

    /// Returns a list of texts. `None` if the member is absent.
    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, ToolError> {
        let refused = || ToolError(format!("{name} must be a list of texts"));
        match self.given(name) {
            None => Ok(None),
            Some(Value::Array(items)) => {
                let text = |item: &Value| item.as_str().map(str::to_owned).ok_or_else(refused);
                items.iter().map(text).collect::<Result<_, _>>().map(Some)
            }
            Some(_) => Err(refused()),
        }
    }

    /// Returns a positive whole number. `None` if the member is absent.
    pub(super) fn positive(&self, name: &str) -> Result<Option<u32>, ToolError> {
        let Some(value) = self.given(name) else { return Ok(None) };
        let refused = || ToolError(format!("{name} must be a positive whole number"));
        // Models also write whole numbers as 5.0.
        let number = value.as_f64().ok_or_else(refused)?;
        if !(number.is_finite() && number >= 1.0 && number.fract() == 0.0) {
            return Err(refused());
        }
        Ok(Some(if number >= f64::from(u32::MAX) { u32::MAX } else { number as u32 }))
    }

    /// Returns a member that is present and not null.
    pub(super) fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }
}
