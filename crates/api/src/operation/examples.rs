//! Examples of requests and responses: one line of `examples.jsonl` for each operation. A test
//! parses each with the types of its operation, and the OpenAPI document shows them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

const TEXT: &str = include_str!("examples.jsonl");

/// The example request and response of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Name of the operation, as in
    /// [`OperationDescription::name`](super::OperationDescription::name).
    pub operation: String,
    /// Example request; absent if the operation has no request in JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// Example response; absent if the operation has no response in JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
}

/// Returns the examples of all operations. A test checks that each line can be parsed.
pub fn examples() -> impl Iterator<Item = Example> {
    TEXT.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::any::TypeId;
    use std::collections::BTreeMap;

    use expect_test::expect_file;
    use serde::de::DeserializeOwned;

    use super::*;
    use crate::Nothing;
    use crate::operation::{Bytes, Lines};

    /// A function that reads an example with the types of its operation and returns it as the types
    /// write it.
    pub(crate) type Parser = fn(&Example) -> Result<Example, String>;

    pub(crate) fn parsed<Q, A>(example: &Example) -> Result<Example, String>
    where
        Q: DeserializeOwned + Serialize + 'static,
        A: DeserializeOwned + Serialize + 'static,
    {
        let request = rewritten::<Q>(example.request.as_ref()).map_err(|error| format!("request: {error}"));
        let response =
            rewritten::<A>(example.response.as_ref()).map_err(|error| format!("response: {error}"));
        Ok(Example { operation: example.operation.clone(), request: request?, response: response? })
    }

    fn rewritten<T>(value: Option<&Value>) -> Result<Option<Value>, String>
    where
        T: DeserializeOwned + Serialize + 'static,
    {
        let without_json = [TypeId::of::<Nothing>(), TypeId::of::<Lines>(), TypeId::of::<Bytes>()];
        match (value, without_json.contains(&TypeId::of::<T>())) {
            (None, true) => Ok(None),
            (None, false) => Err("there is no example".to_owned()),
            (Some(_), true) => Err("the type has no JSON".to_owned()),
            (Some(value), false) => {
                // The text form keeps 32-bit numbers as short as they are in the file.
                let parsed: T =
                    serde_json::from_str(&value.to_string()).map_err(|error| error.to_string())?;
                let text = serde_json::to_string(&parsed).map_err(|error| error.to_string())?;
                serde_json::from_str(&text).map(Some).map_err(|error| error.to_string())
            }
        }
    }

    /// `UPDATE_EXPECT=1 cargo test --package loci-api examples` writes the file again, with each
    /// member that its type writes.
    #[test]
    fn each_operation_has_an_example_of_its_types() {
        let examples: BTreeMap<String, Example> =
            examples().map(|example| (example.operation.clone(), example)).collect();
        assert_eq!(examples.len(), TEXT.lines().count(), "a line is no example, or stands twice");
        let tables = [
            crate::table::PARSERS,
            crate::verified::table::PARSERS,
            crate::coding::table::PARSERS,
            crate::documents::table::PARSERS,
            crate::operations::table::PARSERS,
        ];
        let parsers: BTreeMap<String, Parser> =
            tables.into_iter().flatten().map(|(name, parser)| (name.to_ascii_lowercase(), *parser)).collect();
        let (mut text, mut wrong) = (String::new(), Vec::new());
        for (name, parser) in parsers {
            match examples.get(&name).ok_or_else(|| "there is no line".to_owned()).and_then(parser) {
                Ok(example) => {
                    text += &serde_json::to_string(&example).unwrap();
                    text.push('\n');
                }
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        expect_file!["examples.jsonl"].assert_eq(&text);
    }
}
