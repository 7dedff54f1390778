//! Masks secrets in displayed lines of configuration files. Other servers keep tokens there, and
//! people, logs and screens show the difference. Hides quoted texts whose name marks them as
//! secrets. It does not detect secrets by their format.

const SECRET_NAMES: [&str; 7] =
    ["token", "secret", "password", "passwd", "apikey", "authorization", "credential"];

/// Returns the line with `…` for each quoted text that is named as a secret. A placeholder for a
/// variable is not one.
pub(super) fn masked(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    let mut name = String::new();
    while let Some(open) = rest.find('"') {
        let (before, quoted) = rest.split_at(open);
        let end = end_of_text(quoted);
        let (text, after) = quoted.split_at(end);
        let before_trimmed = before.trim_end();
        let bare = before_trimmed
            .strip_suffix('=')
            .and_then(|bare| bare.trim_end().rsplit([' ', '{', ',', '.']).next());
        if let Some(bare) = bare.filter(|bare| !bare.is_empty()) {
            bare.clone_into(&mut name);
        }
        let is_value =
            before_trimmed.ends_with(['=', ':', '[', ',']) && !after.trim_start().starts_with([':', '=']);
        shown.push_str(before);
        if is_value && is_secret(&name) && !text.contains("${") && text.len() > 2 {
            shown.push_str("\"…\"");
        } else {
            shown.push_str(text);
        }
        if !is_value {
            text.trim_matches('"').clone_into(&mut name);
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
}

fn is_secret(name: &str) -> bool {
    let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    // The name of a variable is not a secret.
    let is_reference = plain.ends_with("envvar") || plain.ends_with("envvars");
    !is_reference && (SECRET_NAMES.iter().any(|part| plain.contains(part)) || plain.ends_with("key"))
}

fn end_of_text(quoted: &str) -> usize {
    let mut escaped = false;
    for (at, c) in quoted.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    quoted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_a_secret_is_not_shown() {
        let check = |line: &str, expect: &str| assert_eq!(masked(line), expect);
        check("  \"GITHUB_TOKEN\": \"ghp_x\\\"y\",", "  \"GITHUB_TOKEN\": \"…\",");
        check(
            "{\"env\": {\"API_KEY\": \"k\", \"HOME\": \"h\"}}",
            "{\"env\": {\"API_KEY\": \"…\", \"HOME\": \"h\"}}",
        );
        check("\"Authorization\": \"Bearer ${LOCI_TOKEN}\"", "\"Authorization\": \"Bearer ${LOCI_TOKEN}\"");
        check("\"Authorization\": \"Bearer abc\"", "\"Authorization\": \"…\"");
        check("api_key = \"k\" # c", "api_key = \"…\" # c");
        check("env = { A = \"1\", MY_SECRET = \"2\" }", "env = { A = \"1\", MY_SECRET = \"…\" }");
        check("bearer_token_env_var = \"LOCI_TOKEN\"", "bearer_token_env_var = \"LOCI_TOKEN\"");
        check("env_vars = [\"LOCI_TOKEN\"]", "env_vars = [\"LOCI_TOKEN\"]");
        check("\"passwords\": [\"a\", \"b\"]", "\"passwords\": [\"…\", \"…\"]");
        check("\"args\": [\"--token\", \"x\"]", "\"args\": [\"--token\", \"x\"]");
        check("\"open", "\"open");
        check("grün: \"ä\"", "grün: \"ä\"");
    }
}
