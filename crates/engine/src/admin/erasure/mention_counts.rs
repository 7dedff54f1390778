//! Counts of the rows from which an erasure removed a person's name, by table.

/// The number of rows, by table, in which the data of others named a person and from which an
/// erasure removed the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MentionsTaken {
    /// The number of tasks that were done for the person, or that mention them.
    pub tasks: u64,
    /// The number of commits.
    pub commits: u64,
    /// The number of sessions of tasks, and of their items.
    pub sessions: u64,
    /// The number of events.
    pub events: u64,
    /// The number of webhooks received from forges, and of waiting deliveries.
    pub deliveries: u64,
    /// The number of stored responses for idempotency tokens.
    pub answers: u64,
    /// The number of repositories whose settings named the person.
    pub repositories: u64,
    /// The number of reviews and all other ledger entries.
    pub entries: u64,
    /// The number of versions of rules and other records, and of fact events.
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
