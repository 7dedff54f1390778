//! What a message takes back, in the words of git and of forges: `This reverts commit <sha>` and `Reverts owner/repo#N`. Pure.

use loci_model::code::ObjectId;

const COMMIT: &str = "This reverts commit ";
const PULL_REQUEST: &str = "Reverts ";

/// The commits that a message takes back.
pub(super) fn commits(message: &str) -> Vec<ObjectId> {
    let behind = message.split(COMMIT).skip(1);
    let id = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_hexdigit).collect();
        ObjectId::parse(&digits.to_ascii_lowercase())
    };
    behind.filter_map(id).collect()
}

/// The pull requests of a repository, by one of its names `owner/repo`, that a message takes back.
pub(super) fn pull_requests(message: &str, is_it: impl Fn(&str) -> bool) -> Vec<u64> {
    message.lines().filter_map(|line| pull_request(line.trim(), &is_it)).collect()
}

fn pull_request(line: &str, is_it: impl Fn(&str) -> bool) -> Option<u64> {
    let (repository, number) = line.strip_prefix(PULL_REQUEST)?.split_once('#')?;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    let rest = number.get(digits.len()..)?;
    let is_alone = rest.is_empty() || rest.starts_with(['.', ',', ' ']);
    (is_alone && is_it(repository)).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a68_what_a_message_takes_back() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let check = |message: &str, shas: usize, prs: &[u64]| {
            assert_eq!(commits(message).len(), shas, "{message}");
            let is_it = |name: &str| name.eq_ignore_ascii_case("acme/shop");
            assert_eq!(pull_requests(message, is_it), prs, "{message}");
        };
        check(&format!("Revert \"Add pagination\"\n\nThis reverts commit {sha}."), 1, &[]);
        check(&format!("This reverts commit {sha}, reversing\nchanges made to 0123."), 1, &[]);
        check(&format!("This reverts commit {}", sha.to_uppercase()), 1, &[]);
        check("This reverts commit 0123456.", 0, &[]);
        check("Reverts acme/shop#57", 0, &[57]);
        check("Revert \"x\" (#58)\n\nReverts ACME/Shop#57\n", 0, &[57]);
        check("Reverts acme/shop#57.", 0, &[57]);
        check("Reverts acme/shop-web#57", 0, &[]);
        check("Reverts #57", 0, &[]);
        check("It Reverts acme/shop#57", 0, &[]);
        check("Reverts acme/shop#57abc", 0, &[]);
        check("Reverts acme/shop#", 0, &[]);
    }
}
