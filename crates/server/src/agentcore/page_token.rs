//! Page tokens: the start of the next page, bound to the operation, its path members and its
//! filters. They grant no right, because access is checked on every page. They do not depend on
//! `maxResults`, and stay valid after a restart.

use loci_model::Timestamp;

use super::constraints::Refusal;

/// The number of hex digits in a token of the digest that binds the token to its operation and
/// filters.
const BINDING_DIGITS: usize = 16;

/// Returns a token for the page after `place`. `binding` is a digest in hex.
pub(super) fn write(binding: &str, place: &[&str]) -> String {
    let binding: String = binding.chars().take(BINDING_DIGITS).collect();
    format!("{binding}{}", hex::encode(place.join("\n")))
}

/// Returns the position that a token names, as `parts` texts, or an error of the API.
pub(super) fn read(binding: &str, token: &str, parts: usize) -> Result<Vec<String>, Refusal> {
    let refused = |message| Err(Refusal::field("nextToken", message));
    let Some((bound, place)) = token.split_at_checked(BINDING_DIGITS) else {
        return refused("nextToken is not a token of this server: start again without it");
    };
    let place = hex::decode(place).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(place) = place else {
        return refused("nextToken is not a token of this server: start again without it");
    };
    if !binding.starts_with(bound) {
        return refused("nextToken belongs to another request: send the same members with every page");
    }
    let place: Vec<String> = place.split('\n').map(str::to_owned).collect();
    if place.len() != parts {
        return refused("nextToken is not a token of this server: start again without it");
    }
    Ok(place)
}

/// Returns a time as a part of a position.
pub(super) fn time_part(time: Timestamp) -> String {
    time.millis().to_string()
}

/// Parses a time from a part of a position.
pub(super) fn parse_time(part: &str) -> Result<Timestamp, Refusal> {
    let millis = part.parse::<i64>().ok().and_then(|millis| Timestamp::from_millis(millis).ok());
    millis.ok_or_else(|| {
        Refusal::field("nextToken", "nextToken is not a token of this server: start again without it")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BINDING: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_token_is_bound_to_its_request() {
        let token = write(BINDING, &["17", "a#b"]);
        assert_eq!(read(BINDING, &token, 2).unwrap(), ["17", "a#b"]);
        assert!(read("ffff456789abcdef0123456789abcdef", &token, 2).is_err());
        for bad in ["", "x", "0123456789abcdefzz", "0123456789abcdef0", &format!("{token}0a61")] {
            assert!(read(BINDING, bad, 2).is_err(), "{bad}");
        }
        assert!(parse_time("-1").is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_tokens_never_panic(token in "\\PC{0,40}", parts in 1usize..3) {
            let _ = read(BINDING, &token, parts);
        }
    }
}
