//! Shortens addresses for display: without user, password, query and fragment, which may contain
//! keys.
//!
//! Headers and bodies are never displayed, so this module does not mask them.

use reqwest::Url;

/// The replacement for text that is not an address.
const UNREADABLE: &str = "(no address)";

/// Returns scheme, host and port, for logs and messages.
pub fn origin(address: &str) -> String {
    Url::parse(address).map_or_else(|_| UNREADABLE.to_owned(), |url| of(&url, ""))
}

/// Returns scheme, host, port and path, for administrators only, because paths of webhooks often
/// contain keys. A query is shown as `?…`.
pub fn place(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return UNREADABLE.to_owned() };
    let query = if url.query().is_some() { "?…" } else { "" };
    of(&url, &format!("{}{query}", url.path()))
}

fn of(url: &Url, rest: &str) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{port}{rest}", url.scheme(), url.host_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_addresses_are_not_shown() {
        let check = |address: &str, shown: [&str; 2]| {
            assert_eq!([origin(address), place(address)], shown, "{address}");
        };
        check("https://example.org/v1", ["https://example.org", "https://example.org/v1"]);
        check("http://a:b@[::1]:8080/x?key=k#f", ["http://[::1]:8080", "http://[::1]:8080/x?…"]);
        check("s3://bucket/prefix", ["s3://bucket", "s3://bucket/prefix"]);
        check("file:///var/out", ["file://", "file:///var/out"]);
        check("nonsense with secret", [UNREADABLE, UNREADABLE]);
    }
}
