//! A secret in memory: wiped when it is dropped, never shown.

use std::fmt;

use http::HeaderValue;
use zeroize::Zeroizing;

/// A key, a token, a password.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes one.
    pub fn new(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    /// What it is: for the header it goes into, and for nothing that is shown.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A header's value with the secret behind `prefix`, marked sensitive; `None` where the secret holds a character no
    /// header takes.
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
