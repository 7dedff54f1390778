//! Who else may read a file that holds a secret, by its mode. One rule for the master key, files with
//! tokens, the private key of TLS and a configuration that names secret addresses; what follows is the
//! reader's matter. It does not look at folders or access lists.

use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt as _;

/// The users whom a mode lets read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Readers {
    /// The owner alone.
    Owner,
    /// The owner and a group: orchestrators mount secrets so.
    Group,
    /// Every user of the machine.
    Everybody,
}

/// Returns who may read, or change, a file.
#[must_use]
pub fn readers(about: &Metadata) -> Readers {
    of_mode(about.permissions().mode())
}

fn of_mode(mode: u32) -> Readers {
    match mode {
        mode if mode & 0o007 != 0 => Readers::Everybody,
        mode if mode & 0o070 != 0 => Readers::Group,
        _ => Readers::Owner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        for (mode, expect) in [
            (0o100_600, Readers::Owner),
            (0o100_400, Readers::Owner),
            (0o100_640, Readers::Group),
            (0o100_620, Readers::Group),
            (0o100_604, Readers::Everybody),
            (0o100_602, Readers::Everybody),
            (0o100_644, Readers::Everybody),
        ] {
            assert_eq!(of_mode(mode), expect, "{mode:o}");
        }
        assert!(Readers::Owner < Readers::Group && Readers::Group < Readers::Everybody);
    }
}
