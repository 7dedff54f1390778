//! Checks the values of namespace variables in an event: the memory must declare the variable,
//! and the value must match its pattern.

use std::collections::BTreeMap;

use loci_model::memory::index_key::NamespaceKey;
use loci_model::{Error, ErrorText, FieldName, Result};
use regex::{Regex, RegexBuilder};

/// The maximum size of a compiled pattern in memory, in bytes. Patterns have at most 64
/// characters.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Compiles the pattern of a namespace variable, which must match the whole value.
pub(crate) fn variable_pattern(pattern: &str) -> Result<Regex> {
    RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(PATTERN_BYTES_MAX).build().map_err(|error| {
        let rule = " must be a regular expression without look-around or back-references";
        Error::invalid(FieldName::NamespaceKeyPattern, FieldName::Pattern + rule).caused_by(error)
    })
}

/// Checks the values of an event against the declarations of the memory.
pub(crate) fn check(values: &BTreeMap<String, String>, declared: &[NamespaceKey]) -> Result<()> {
    for (name, value) in values {
        let field = FieldName::EventVariables + format!(".{name}");
        let Some(key) = declared.iter().find(|key| key.key == *name) else {
            let rule = ErrorText::from("this namespace variable is not declared in ");
            return Err(Error::invalid(field, rule + FieldName::NamespaceKeys));
        };
        let Some(validation) = &key.validation else { continue };
        if validation.allowed.as_ref().is_some_and(|allowed| !allowed.contains(value)) {
            return Err(Error::invalid(
                field,
                ErrorText::from("the value is not one of ") + FieldName::Allowed,
            ));
        }
        if let Some(pattern) = &validation.pattern
            && !variable_pattern(pattern)?.is_match(value)
        {
            return Err(Error::invalid(
                field,
                ErrorText::from("the value does not match ") + FieldName::Pattern,
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::memory::index_key::NamespaceKeyValidation;

    #[test]
    fn both_rules_hold() {
        let key = NamespaceKey {
            key: "team".into(),
            validation: Some(NamespaceKeyValidation {
                allowed: Some(vec!["a1".into(), "b".into()]),
                pattern: Some("[a-z][0-9]".into()),
            }),
        };
        let check = |name: &str, value: &str, expect: bool| {
            let values = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            assert_eq!(super::check(&values, std::slice::from_ref(&key)).is_ok(), expect, "{name}={value}");
        };
        check("team", "a1", true);
        check("team", "b", false);
        check("team", "c1", false);
        check("squad", "a1", false);
        assert!(variable_pattern("(").is_err());
        assert!(variable_pattern("(?=a)").is_err());
    }
}
