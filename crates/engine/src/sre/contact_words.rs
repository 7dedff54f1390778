//! What in a text leads to somebody: an address, a URL, a handle, a channel, a telephone number (sre-memory.md §9.2). Pure. In doubt it does: what is
//! taken for a contact waits for a person, and what is not counts at once. Whether a contact may count is not decided here.

use loci_model::Timestamp;

use super::addresses::looks_like_address;

/// Digits of the shortest telephone number.
const PHONE_DIGITS: usize = 7;
/// What introduces an address whatever follows it.
const SCHEMES: &[&str] = &["://", "mailto:", "tel:", "sip:", "www."];

/// True where a text leads to somebody.
pub(super) fn has_contact(text: &str) -> bool {
    let text = plain(text);
    SCHEMES.iter().any(|scheme| text.contains(scheme)) || words(&text).any(is_contact) || has_number(&text)
}

/// Signs in their usual form: what is drawn as another sign leads to the same place.
fn plain(text: &str) -> String {
    let sign = |c: char| match c {
        '\u{ff20}' | '\u{fe6b}' => '@',
        '\u{ff03}' | '\u{fe5f}' => '#',
        '\u{ff0e}' | '\u{3002}' => '.',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{ff0b}' => '+',
        '\u{00a0}' | '\u{202f}' => ' ',
        other => other,
    };
    text.to_lowercase().chars().filter(|c| !is_unseen(*c)).map(sign).collect()
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{00ad}')
}

/// Words, without marks of emphasis and quotation around them, and without what introduces them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts =
        |c: char| c.is_whitespace() || ",;:=|()<>[]{}\"'*`~\u{201c}\u{201d}\u{2018}\u{2019}".contains(c);
    text.split(parts).filter(|word| !word.is_empty())
}

fn is_contact(word: &str) -> bool {
    let word = word.trim_start_matches('_').trim_end_matches(['.', '!', '?', '_']);
    let is_name = |rest: &str| rest.starts_with(char::is_alphabetic);
    let is_handle = ['@', '#'].iter().any(|mark| word.strip_prefix(*mark).is_some_and(is_name));
    looks_like_address(word) || is_handle || is_site(word)
}

/// A place of the web without its scheme: `hooks.example.com/services/1`.
fn is_site(word: &str) -> bool {
    let Some((host, _)) = word.split_once('/') else { return false };
    let last = host.rsplit_once('.').map(|(_, last)| last);
    last.is_some_and(|last| last.chars().count() >= 2 && last.chars().all(char::is_alphabetic))
}

/// True where digits stand together like those of a telephone number, however they are parted.
pub(super) fn has_number(text: &str) -> bool {
    let mut digits = 0;
    for word in text.split(|c: char| c.is_whitespace() || ",;:=|<>[]{}\"'*`~".contains(c)) {
        let is_part = word.chars().any(|c| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_digit() || "+-./()".contains(c))
            && Timestamp::parse(word.trim_matches(['.', '(', ')'])).is_err();
        let is_between = !word.is_empty() && word.chars().all(|c| "+-./()".contains(c));
        if is_part {
            digits += word.bytes().filter(u8::is_ascii_digit).count();
        } else if !word.is_empty() && !is_between {
            digits = 0;
        }
        if digits >= PHONE_DIGITS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_somebody() {
        let check = |text: &str, expect: bool| assert_eq!(has_contact(text), expect, "{text}");
        for text in [
            "x@evil.com",
            "write to <x@evil.com>",
            "x\u{ff20}evil.com",
            "x\u{200b}@evil.com",
            "**#evil**",
            "_@mallory_",
            "slack:#evil",
            "channel=#evil",
            "\u{201c}#evil\u{201d}",
            "https://evil.com",
            "www.evil.com",
            "hooks.slack.com/services/T0",
            "call +1 555 123 4567",
            "call 0049 30 1234567",
            "call (555) 123-4567",
            "call 555.123.4567",
            "+49\u{2011}30\u{2011}1234567",
            "tel:5551234",
        ] {
            check(text, true);
        }
        for text in [
            "",
            "short reports",
            "issue #12 since 2026-11-20",
            "between 22:00 and 07:00",
            "after 15 minutes, then 30",
            "v1.2/x",
            "and/or",
            "2026-11-20 to 2026-11-27",
            "use C# code",
            "cpu above 90.5",
        ] {
            check(text, false);
        }
    }
}
