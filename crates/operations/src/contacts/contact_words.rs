//! Contacts in a text: an address, a URL, a handle, a channel or a telephone number. Pure. Returns
//! true in case of doubt: a false positive waits for a person, but a false negative would become
//! active at once. Other modules decide if a contact is allowed.

use loci_model::Timestamp;

use super::addresses::looks_like_address;

/// The minimum number of digits of a telephone number.
const PHONE_DIGITS: usize = 7;
/// Prefixes that introduce an address regardless of the text after them.
const SCHEMES: &[&str] = &["://", "mailto:", "tel:", "sip:", "www."];

/// True if a text contains a contact.
pub(crate) fn has_contact(text: &str) -> bool {
    let text = plain(text);
    let is_place = |word: &str| is_site(word.trim_matches(|c: char| !c.is_alphanumeric()));
    SCHEMES.iter().any(|scheme| text.contains(scheme))
        || words(&text).any(is_contact)
        || text.split([' ', '\t', '\n', ',', ';', '=', '(', ')', '"']).any(is_place)
        || has_number(&text)
}

/// Returns the text with characters in their usual form, because a look-alike character leads to
/// the same address.
fn plain(text: &str) -> String {
    let sign = |c: char| match c {
        '\u{ff20}' | '\u{fe6b}' => '@',
        '\u{ff03}' | '\u{fe5f}' => '#',
        '\u{ff0e}' | '\u{3002}' => '.',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{ff0b}' => '+',
        '\u{ff10}'..='\u{ff19}' => char::from_digit(u32::from(c) - 0xff10, 10).unwrap_or(c),
        '\u{ff1a}' => ':',
        '\u{ff0f}' => '/',
        '\u{00a0}' | '\u{202f}' => ' ',
        other => other,
    };
    text.to_lowercase().chars().filter(|c| !is_unseen(*c)).map(sign).collect()
}

fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{00ad}'
    )
}

/// Returns the words, without emphasis, quotation marks and introducing prefixes.
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

/// True for a web address without a scheme: `hooks.example.com/services/1`,
/// `hooks.example.com:8443`, `10.0.0.5/hook`, or a host of three labels.
fn is_site(word: &str) -> bool {
    let (place, path) = word.split_once('/').map_or((word, None), |(place, path)| (place, Some(path)));
    let (host, port) = place.rsplit_once(':').map_or((place, None), |(host, port)| (host, Some(port)));
    let is_port = port.is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
    let names: Vec<&str> = host.split('.').collect();
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-');
    let last = names.last().copied().unwrap_or_default();
    let ends_in_letters = last.chars().count() >= 2 && last.chars().all(char::is_alphabetic);
    let is_number = names.len() == 4 && names.iter().all(|name| name.parse::<u8>().is_ok());
    let is_led_to = path.is_some() || is_port;
    names.iter().all(is_name)
        && ((is_number && is_led_to)
            || (ends_in_letters && names.len() > 1 && (is_led_to || names.len() > 2)))
}

/// True if the text contains a run of digits as long as a telephone number, with any separators.
/// Times of day and dates do not count.
pub(super) fn has_number(text: &str) -> bool {
    let mut digits = 0;
    for word in text.split(|c: char| c.is_whitespace() || ",;=|<>[]{}\"'*`~".contains(c)) {
        for (nth, part) in word.split(':').enumerate() {
            let has_digits = part.bytes().any(|b| b.is_ascii_digit());
            let is_parting = part.chars().all(|c| c.is_ascii_digit() || "+-./()".contains(c));
            let is_date = Timestamp::parse(part.trim_matches(['.', '(', ')'])).is_ok();
            let ends = !part.is_empty() && (!is_parting || is_date);
            if nth > 0 || ends {
                digits = 0;
            }
            if has_digits && !ends {
                digits += part.bytes().filter(u8::is_ascii_digit).count();
            }
            if digits >= PHONE_DIGITS {
                return true;
            }
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
            "hooks.evil.com:8443/in",
            "hooks.evil.com:8443",
            "hooks.evil.com",
            "10.0.0.5/hook",
            "10.0.0.5:8080/hook",
            "call \u{ff0b}\u{ff11} \u{ff15}\u{ff15}\u{ff15} \u{ff11}\u{ff12}\u{ff13} \u{ff14}\u{ff15}\u{ff16}\u{ff17}",
            "#\u{2063}evil",
            "call +1 555 123 4567",
            "call 0049 30 1234567",
            "call (555) 123-4567",
            "call 555.123.4567",
            "+49\u{2011}30\u{2011}1234567",
            "tel:5551234",
            "phone:5551234",
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
            "version 1.2.3 or 10.0.0.5",
            "at 14:30/15:00",
            "e.g. node.js",
        ] {
            check(text, false);
        }
    }
}
