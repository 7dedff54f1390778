//! Number of rows in which others named a person, by table.

/// Number of rows in which others named a person, by table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MentionsTaken {
    /// Tasks that were done for the person, or that mention them.
    pub tasks: u64,
    /// Commits.
    pub commits: u64,
    /// Sessions of tasks, and their items.
    pub sessions: u64,
    /// Events.
    pub events: u64,
    /// Messages from forges, and pending deliveries.
    pub deliveries: u64,
    /// Stored responses of idempotency tokens.
    pub answers: u64,
    /// Settings of repositories.
    pub repositories: u64,
    /// Reviews and all other ledger entries.
    pub entries: u64,
    /// Versions of rules and other records, and the history of facts.
    pub records: u64,
}

impl MentionsTaken {
    /// Returns each kind of the receipt with its count.
    pub(crate) fn listed(&self) -> [(&'static str, u64); 9] {
        [
            ("mentions in tasks", self.tasks),
            ("mentions in commits", self.commits),
            ("mentions in task sessions", self.sessions),
            ("mentions in events", self.events),
            ("mentions in deliveries", self.deliveries),
            ("mentions in request tokens", self.answers),
            ("mentions in repositories", self.repositories),
            ("mentions in ledger entries", self.entries),
            ("mentions in records", self.records),
        ]
    }

    /// Adds the counts of another product.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.commits += other.commits;
        self.sessions += other.sessions;
        self.events += other.events;
        self.deliveries += other.deliveries;
        self.answers += other.answers;
        self.repositories += other.repositories;
        self.entries += other.entries;
        self.records += other.records;
    }

    /// Returns the total count.
    pub fn count(&self) -> u64 {
        self.listed().iter().map(|(_, count)| count).sum()
    }
}
