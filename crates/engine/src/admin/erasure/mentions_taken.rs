//! The number of rows in which others named somebody, table by table.

/// The number of rows in which others named somebody, table by table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MentionsTaken {
    /// Tasks that were done for them, or that speak of them.
    pub tasks: u64,
    /// Commits.
    pub commits: u64,
    /// Sessions of tasks, and their items.
    pub sessions: u64,
    /// Events.
    pub events: u64,
    /// News of forges, and what waits to be sent.
    pub deliveries: u64,
    /// Answers that requests are repeated with.
    pub answers: u64,
    /// Settings of repositories.
    pub repositories: u64,
    /// Reviews and whatever else the ledger has.
    pub entries: u64,
    /// Versions of rules and other records, and what happened to facts.
    pub records: u64,
}

impl MentionsTaken {
    /// Returns each kind of the receipt with its number.
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

    /// Adds what another product took out.
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

    /// Returns the number of all of them.
    pub fn count(&self) -> u64 {
        self.listed().iter().map(|(_, count)| count).sum()
    }
}
