//! Expressions of code: names made of words, members, calls. The scanner for secrets ignores them.
//! The module parses no language. A form that no name has is not a name.

/// The kind of an expression in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expression {
    /// A single name.
    Name,
    /// A member of a named value, or a call of a named function.
    Access,
}

/// Returns the expression that the text consists of, apart from the arguments of a call; `None` for
/// a literal.
pub(super) fn expression(text: &str) -> Option<Expression> {
    let mut rest = text.trim_start_matches(['&', '*', '!']);
    let mut found = Expression::Name;
    loop {
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        rest = rest.get(length..)?;
        if rest.is_empty() {
            return Some(found);
        }
        found = Expression::Access;
        if rest.starts_with(['(', '[']) {
            return Some(found);
        }
        rest = ["?.", ".", "->", "::"].iter().find_map(|join| rest.strip_prefix(join))?;
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

/// True for a name like `STRIPE_KEY_2024` or `loadV2Config`. Its words have 3.5 letters on average,
/// and digits occur only after the letters of a word. Random texts alternate between cases and
/// digits too often for that.
pub(super) fn is_made_of_words(text: &str) -> bool {
    let (mut words, mut letters) = (0_usize, 0_usize);
    // State of the current word: the number of capitals at its end, and whether it has digits.
    let (mut capitals, mut digits, mut between) = (0_usize, false, true);
    for c in text.chars() {
        match c {
            '_' | '-' | '=' | '&' | '@' => {
                between = true;
                continue;
            }
            'A'..='Z' => {
                if between || capitals == 0 {
                    (words, digits, capitals) = (words + 1, false, 0);
                }
                capitals += 1;
                letters += 1;
            }
            'a'..='z' => {
                if digits && !between {
                    return false;
                }
                // The last of several capitals begins the word.
                if between || capitals > 1 {
                    (words, digits) = (words + 1, false);
                }
                capitals = 0;
                letters += 1;
            }
            '0'..='9' => (digits, capitals) = (true, 0),
            _ => return false,
        }
        between = false;
    }
    2 * letters >= 7 * words.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_code() {
        let check = |text: &str, expect: Option<Expression>| assert_eq!(expression(text), expect, "{text}");
        check("password", Some(Expression::Name));
        check("&form.password", Some(Expression::Access));
        check("os.getcwd()", Some(Expression::Access));
        check("u->password", Some(Expression::Access));
        check("args[0]", Some(Expression::Access));
        check("a::b?.c", Some(Expression::Access));
        for literal in ["S3cret!x", "p.ss!1", "3.19.1", "a..b", "a.", "hunter-2", ""] {
            check(literal, None);
        }
    }

    #[test]
    fn names_are_made_of_words() {
        let check = |text: &str, expect: bool| assert_eq!(is_made_of_words(text), expect, "{text}");
        for name in [
            "STRIPE_WEBHOOK_KEY_2024",
            "fromRefreshTokenPayload",
            "loadTokenFromV2ConfigStore",
            "id_ed25519_deployment_key",
            "HTTPServerForTests2",
            "page2&sort=created_at&order=desc",
            "@auth_token_deploy256",
        ] {
            check(name, true);
        }
        for random in [
            "kJ8vQ2zLw9Xc5Rt1mN4bH7pA",
            "MTk4NjIyNDgzNDcxOTI1MjQ4",
            "x7f3k9q2m5w8z1t4y6b0",
            "2024v1-of-everything",
            "QzRkTmLpWxYvBnCgHjSdFa",
            "wJalrXUtnFEMIK7MDENGbPxRfiCY",
            "hunter2!hunter2!hunter2",
            "",
        ] {
            check(random, false);
        }
    }
}
