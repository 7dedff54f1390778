//! A secret in memory. The memory is overwritten when the value is dropped, and no log shows it.

use std::fmt;

use http::HeaderValue;
use zeroize::Zeroizing;

/// A secret text: a key, a token or a password.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Creates a secret from text.
    pub fn new(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    /// Returns the text, only for the header that contains it, and never for display.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns a header value of `prefix` followed by the secret, marked as sensitive. `None` if a
    /// header cannot contain a character of the secret.
    pub fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let whole = Zeroizing::new(format!("{prefix}{}", self.expose()));
        let mut value = HeaderValue::from_str(&whole).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_not_shown_and_goes_into_headers_only_whole() {
        let secret = Secret::from("hidden");
        assert_eq!(format!("{secret:?}"), "Secret");
        let header = secret.header("Bearer ").unwrap();
        assert!(header.is_sensitive() && header == "Bearer hidden");
        assert!(!format!("{header:?}").contains("hidden"));
        assert!(Secret::from("two\nlines").header("").is_none());
    }
}
