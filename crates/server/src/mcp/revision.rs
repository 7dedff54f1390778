//! Revisions of the protocol, newest first, of two kinds: with and without `initialize`.

/// A revision of the Model Context Protocol, named by its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05
    V2024Nov,
    /// 2025-03-26
    V2025Mar,
    /// 2025-06-18
    V2025Jun,
    /// 2025-11-25
    V2025Nov,
    /// 2026-07-28: no `initialize`; every request contains all it needs.
    V2026Jul,
}

impl Revision {
    /// All revisions, newest first.
    pub const ALL: [Self; 5] =
        [Self::V2026Jul, Self::V2025Nov, Self::V2025Jun, Self::V2025Mar, Self::V2024Nov];

    /// Returns the revision's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2026Jul => "2026-07-28",
            Self::V2025Nov => "2025-11-25",
            Self::V2025Jun => "2025-06-18",
            Self::V2025Mar => "2025-03-26",
            Self::V2024Nov => "2024-11-05",
        }
    }

    /// Parses a revision's name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text)
    }

    /// Returns true for revisions without `initialize`.
    pub fn is_modern(self) -> bool {
        self == Self::V2026Jul
    }

    /// Returns the revision for a client of an initialize-based one that requests `asked`: that one
    /// if it is supported, else the newest supported one of its kind.
    pub fn negotiated(asked: Option<&str>, served: &[Self]) -> Option<Self> {
        let mut legacy: Vec<_> = served.iter().copied().filter(|revision| !revision.is_modern()).collect();
        legacy.sort();
        let same = asked.and_then(Self::parse).filter(|revision| legacy.contains(revision));
        same.or_else(|| legacy.last().copied())
    }

    /// Returns the names of the supported revisions without `initialize`.
    pub fn modern(served: &[Self]) -> Vec<&'static str> {
        served.iter().filter(|revision| revision.is_modern()).map(|revision| revision.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negotiation() {
        let check = |asked: Option<&str>, served: &[Revision], expect: Option<Revision>| {
            assert_eq!(Revision::negotiated(asked, served), expect, "{asked:?}");
        };
        check(Some("2025-06-18"), &Revision::ALL, Some(Revision::V2025Jun));
        check(Some("2024-11-05"), &Revision::ALL, Some(Revision::V2024Nov));
        check(Some("2026-07-28"), &Revision::ALL, Some(Revision::V2025Nov));
        check(Some("1999-01-01"), &Revision::ALL, Some(Revision::V2025Nov));
        check(None, &[Revision::V2025Mar], Some(Revision::V2025Mar));
        check(None, &[Revision::V2026Jul], None);
    }
}
