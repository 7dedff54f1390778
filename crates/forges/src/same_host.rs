//! Restricts redirects to targets below the API's address, so that a token is never sent to another
//! host.

/// Returns the part of `location` after the API's address `base` (without a trailing slash) and the
/// following slash; `None` if it leads elsewhere.
pub(crate) fn below<'l>(base: &str, location: &'l str) -> Option<&'l str> {
    let rest = match location.strip_prefix(base) {
        Some(rest) => rest,
        // Only a path, without scheme and host.
        None if !location.starts_with("//") => location.strip_prefix(path_of(base)?)?,
        None => return None,
    };
    let rest = rest.strip_prefix('/')?;
    let is_plain = !rest.contains(['\\', '#', '@']) && !rest.chars().any(|c| c.is_control() || c == ' ');
    let climbs = rest.split(['/', '?']).any(is_dots);
    (is_plain && !climbs).then_some(rest)
}

/// Returns the path of an address, without a trailing slash.
fn path_of(base: &str) -> Option<&str> {
    let (_, behind) = base.split_once("://")?;
    Some(behind.find('/').and_then(|at| behind.get(at..)).unwrap_or_default())
}

/// True for `.` and `..` in any encoding.
fn is_dots(part: &str) -> bool {
    matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_below_the_api() {
        let check = |location: &str, expect: Option<&str>| {
            assert_eq!(below("https://git.example.org/api/v3", location), expect, "{location}");
        };
        check(
            "https://git.example.org/api/v3/repositories/7/commits/HEAD",
            Some("repositories/7/commits/HEAD"),
        );
        check("/api/v3/repositories/7?recursive=1", Some("repositories/7?recursive=1"));
        check("https://git.example.org/other", None);
        check("https://git.example.org/api/v31/x", None);
        check("https://evil.example.org/api/v3/x", None);
        check("https://git.example.org.evil.org/api/v3/x", None);
        check("https://git.example.org:8443/api/v3/x", None);
        check("http://git.example.org/api/v3/x", None);
        check("//evil.example.org/api/v3/x", None);
        check("https://git.example.org/api/v3/../../admin", None);
        check("https://git.example.org/api/v3/%2E%2e/admin", None);
        check("https://git.example.org/api/v3/x\\y", None);
        check("repositories/7", None);
        check("", None);
    }

    #[test]
    fn an_api_at_the_root_of_its_host() {
        let check = |location: &str, expect: Option<&str>| {
            assert_eq!(below("https://api.github.com", location), expect, "{location}");
        };
        check("https://api.github.com/repositories/1", Some("repositories/1"));
        check("/repositories/1", Some("repositories/1"));
        check("https://api.github.com@evil.org/repositories/1", None);
        check("https://api.github.com.evil.org/repositories/1", None);
    }
}
