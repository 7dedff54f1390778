//! The features that a server accepts. Servers of one protocol differ in the form of JSON output,
//! the name of the output limit, and the support for a temperature. Each difference is learned
//! once, from a refusal that mentions it, and remembered until the process ends.

/// A form in which a request asks for JSON output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonForm {
    /// The request contains the JSON schema of the output.
    Schema,
    /// The request asks for any JSON object.
    Object,
    /// Only the prompt asks for JSON.
    Words,
}

/// The features that a server is known to accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerCapabilities {
    /// The form of JSON output that the server accepts.
    pub form: JsonForm,
    /// True if the server accepts a temperature.
    pub temperature: bool,
    /// True if the server knows the output limit under its old name (`max_tokens`).
    pub old_limit: bool,
}

/// Returns the features to use after an error response. `None` if the error has another cause.
/// `asked` are the features that the rejected request used.
///
/// `message` is the body of the error response. `forms` and `form_words` come from the protocol.
/// `may_change_form` is false if the configuration determines the form of JSON output.
pub fn after_refusal(
    asked: ServerCapabilities,
    message: &str,
    forms: &[JsonForm],
    form_words: &[&str],
    may_change_form: bool,
) -> Option<ServerCapabilities> {
    let message = message.to_ascii_lowercase();
    if asked.temperature && message.contains("temperature") {
        return Some(ServerCapabilities { temperature: false, ..asked });
    }
    if !asked.old_limit && message.contains("max_completion_tokens") {
        return Some(ServerCapabilities { old_limit: true, ..asked });
    }
    if may_change_form && form_words.iter().any(|word| message.contains(word)) {
        let next = forms.iter().skip_while(|form| **form != asked.form).nth(1)?;
        return Some(ServerCapabilities { form: *next, ..asked });
    }
    None
}

/// Combines two sets of features that concurrent requests learned. Of each feature it takes the
/// less demanding value.
pub fn both(a: ServerCapabilities, b: ServerCapabilities, forms: &[JsonForm]) -> ServerCapabilities {
    let place = |form: JsonForm| forms.iter().position(|known| *known == form);
    ServerCapabilities {
        form: if place(a.form) >= place(b.form) { a.form } else { b.form },
        temperature: a.temperature && b.temperature,
        old_limit: a.old_limit || b.old_limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: &[JsonForm] = &[JsonForm::Schema, JsonForm::Object, JsonForm::Words];
    const FIRST: ServerCapabilities =
        ServerCapabilities { form: JsonForm::Schema, temperature: true, old_limit: false };

    #[test]
    fn lessons() {
        let check = |asked: ServerCapabilities, message: &str, expect: Option<ServerCapabilities>| {
            assert_eq!(after_refusal(asked, message, FORMS, &["response_format"], true), expect, "{message}");
        };
        check(FIRST, "the model does not exist", None);
        let object = ServerCapabilities { form: JsonForm::Object, ..FIRST };
        check(FIRST, "Invalid parameter: 'response_format' of type 'json_schema'", Some(object));
        check(
            object,
            "response_format is not supported",
            Some(ServerCapabilities { form: JsonForm::Words, ..FIRST }),
        );
        check(ServerCapabilities { form: JsonForm::Words, ..FIRST }, "response_format", None);
        check(
            FIRST,
            "Unsupported value: 'temperature'",
            Some(ServerCapabilities { temperature: false, ..FIRST }),
        );
        check(ServerCapabilities { temperature: false, ..FIRST }, "Unsupported value: 'temperature'", None);
        let old = ServerCapabilities { old_limit: true, ..FIRST };
        check(FIRST, "unknown field max_completion_tokens", Some(old));
        check(old, "unknown field max_completion_tokens", None);
        assert_eq!(after_refusal(FIRST, "response_format", FORMS, &["response_format"], false), None);
        assert_eq!(
            both(object, old, FORMS),
            ServerCapabilities { form: JsonForm::Object, old_limit: true, ..FIRST }
        );
    }
}
