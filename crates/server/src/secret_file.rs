//! The permissions of a file with a secret, by its mode and owner. One rule covers the master key,
//! files with tokens, the private key of TLS, and a configuration that names secret addresses. The
//! reader decides to reject the file or to warn. The module does not check folders or access lists.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

/// The user with which orchestrators mount secrets.
const ROOT: u32 = 0;
/// All permissions of others, and those of a group beyond reading.
const NEVER: u32 = 0o037;
/// All permissions of a group.
const GROUP: u32 = 0o070;

/// Returns the sentence about a secret file that breaks the rule: mode, owner, rule and remedy.
/// Returns `None` for a file that satisfies it. `name` is the file's name in the sentence.
#[must_use]
pub fn fault(name: &str, about: &Metadata) -> Option<String> {
    let process = rustix::process::geteuid().as_raw();
    fault_of(name, about.mode() & 0o7777, about.uid(), process)
}

fn fault_of(name: &str, mode: u32, owner: u32, process: u32) -> Option<String> {
    (!is_closed(mode, owner, process)).then(|| {
        format!(
            "{name} has the mode {mode:04o} and belongs to user {owner}, while this process runs as user \
             {process}: a file with a secret must belong to the user of the process or to root, and be \
             readable and writable by its owner alone; a group may read it only where it belongs to root \
             and the process is another user: chown it, or chmod 600 it (a volume of Kubernetes: \
             fsGroupChangePolicy: OnRootMismatch, or a secret with defaultMode: 0400)"
        )
    })
}

/// Returns true if the permissions admit only necessary readers.
///
/// As in PostgreSQL, the file belongs to the process's user or to root, and a group may read a file
/// of root. In that way an unprivileged process gets a file that it neither owns nor can change.
/// Unlike in PostgreSQL, a process of root accepts a file of any user.
fn is_closed(mode: u32, owner: u32, process: u32) -> bool {
    let is_mounted = owner == ROOT && process != ROOT;
    let is_its_own = owner == process || owner == ROOT || process == ROOT;
    is_its_own && mode & NEVER == 0 && (mode & GROUP == 0 || is_mounted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_owners() {
        const SELF: u32 = 65_532;
        const OTHER: u32 = 1_000;
        for (mode, owner, process, expect) in [
            (0o600, SELF, SELF, true),
            (0o400, SELF, SELF, true),
            (0o700, SELF, SELF, true),
            (0o640, SELF, SELF, false),
            (0o440, SELF, SELF, false),
            (0o660, SELF, SELF, false),
            (0o620, SELF, SELF, false),
            (0o604, SELF, SELF, false),
            (0o602, SELF, SELF, false),
            (0o644, SELF, SELF, false),
            // The mode of a secret in a pod with `fsGroup`.
            (0o440, ROOT, SELF, true),
            (0o640, ROOT, SELF, true),
            (0o600, ROOT, SELF, true),
            (0o660, ROOT, SELF, false),
            (0o650, ROOT, SELF, false),
            (0o644, ROOT, SELF, false),
            (0o444, ROOT, SELF, false),
            // Another owner can read the file, and may change it.
            (0o600, OTHER, SELF, false),
            (0o400, OTHER, SELF, false),
            // The rule for files of root also applies to a process of root.
            (0o600, ROOT, ROOT, true),
            (0o640, ROOT, ROOT, false),
            (0o600, SELF, ROOT, true),
            (0o640, SELF, ROOT, false),
        ] {
            assert_eq!(is_closed(mode, owner, process), expect, "{mode:o} {owner} {process}");
        }
    }

    #[test]
    fn a_fault_names_file_mode_rule_and_remedy() {
        assert_eq!(fault_of("the token", 0o600, 1_000, 1_000), None);
        let told = fault_of("the token", 0o600, 1_001, 1_000).unwrap();
        for part in ["user 1001", "runs as user 1000", "belong to the user of the process", "chown"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        let told = fault_of("the token", 0o660, 1_000, 1_000).unwrap();
        for part in ["the token", "0660", "user 1000", "by its owner alone", "chmod 600", "OnRootMismatch"] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}
