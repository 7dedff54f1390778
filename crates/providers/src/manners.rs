//! What a server turned out to take: servers that speak one protocol differ in how they can be asked for JSON, in the
//! name of the limit of an answer, and in whether a temperature may be given. Each is learned from a refusal that names
//! it, once, and remembered as long as the process runs.

/// How an answer in JSON is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonForm {
    /// By a schema.
    Schema,
    /// As any object.
    Object,
    /// By words alone.
    Words,
}

/// What a server takes, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    /// How JSON is asked for.
    pub form: JsonForm,
    /// A temperature may be given.
    pub temperature: bool,
    /// The limit of an answer goes by its old name.
    pub old_limit: bool,
}

/// What to try after a refusal, given how the server was asked; `None` where the refusal is about something else.
///
/// `message` is the body of the refusal. `forms` and `form_words` are the protocol's; `may_change_form` is false where the
/// configuration says how JSON is asked for.
pub fn after_refusal(
    asked: Manners,
    message: &str,
    forms: &[JsonForm],
    form_words: &[&str],
    may_change_form: bool,
) -> Option<Manners> {
    let message = message.to_ascii_lowercase();
    if asked.temperature && message.contains("temperature") {
        return Some(Manners { temperature: false, ..asked });
    }
    if !asked.old_limit && message.contains("max_completion_tokens") {
        return Some(Manners { old_limit: true, ..asked });
    }
    if may_change_form && form_words.iter().any(|word| message.contains(word)) {
        let next = forms.iter().skip_while(|form| **form != asked.form).nth(1)?;
        return Some(Manners { form: *next, ..asked });
    }
    None
}

/// Two lessons learned side by side, as one: the less demanding of each.
pub fn both(a: Manners, b: Manners, forms: &[JsonForm]) -> Manners {
    let place = |form: JsonForm| forms.iter().position(|known| *known == form);
    Manners {
        form: if place(a.form) >= place(b.form) { a.form } else { b.form },
        temperature: a.temperature && b.temperature,
        old_limit: a.old_limit || b.old_limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: &[JsonForm] = &[JsonForm::Schema, JsonForm::Object, JsonForm::Words];
    const FIRST: Manners = Manners { form: JsonForm::Schema, temperature: true, old_limit: false };

    #[test]
    fn lessons() {
        let check = |asked: Manners, message: &str, expect: Option<Manners>| {
            assert_eq!(after_refusal(asked, message, FORMS, &["response_format"], true), expect, "{message}");
        };
        check(FIRST, "the model does not exist", None);
        let object = Manners { form: JsonForm::Object, ..FIRST };
        check(FIRST, "Invalid parameter: 'response_format' of type 'json_schema'", Some(object));
        check(object, "response_format is not supported", Some(Manners { form: JsonForm::Words, ..FIRST }));
        check(Manners { form: JsonForm::Words, ..FIRST }, "response_format", None);
        check(FIRST, "Unsupported value: 'temperature'", Some(Manners { temperature: false, ..FIRST }));
        check(Manners { temperature: false, ..FIRST }, "Unsupported value: 'temperature'", None);
        let old = Manners { old_limit: true, ..FIRST };
        check(FIRST, "unknown field max_completion_tokens", Some(old));
        check(old, "unknown field max_completion_tokens", None);
        assert_eq!(after_refusal(FIRST, "response_format", FORMS, &["response_format"], false), None);
        assert_eq!(both(object, old, FORMS), Manners { form: JsonForm::Object, old_limit: true, ..FIRST });
    }
}
