//! Hooks: the extensions of a product to the kernel. A product is one [`Product`] value of handlers
//! and policies, registered at program start. The kernel calls them without knowing any product.
//!
//! A hook in a write is synchronous and gets the transaction. It reads and writes rows of its own
//! shelves and requests records from the kernel; the kernel never reads a product's rows. Functions
//! deep in a write find the products of its engine by [`write_context::products`].
//!
//! | file | hooks on |
//! |---|---|
//! | `records` | changes of records, and records that wait for a person |
//! | `events` | events that are stored, read and deleted |
//! | `access` | data that belongs to a user, independent of grants |
//! | `profiles` | profiles of memories |
//! | `copies` | files outside the store |
//! | `people` | people by the names that others give them |
//! | `jobs` | kinds of jobs |
//! | `background` | the sweep, and loops in parallel to the jobs |
//! | `shelves` | shelves of the ledger, with the rules for their entries |
//! | `questions` | prompts, and steps that ask models |
//! | `write_context` | the products of the write that runs on this thread |

mod access;
mod background;
mod copies;
mod events;
mod jobs;
mod people;
mod profiles;
mod questions;
mod records;
mod shelves;
pub mod write_context;

use std::sync::Arc;

use loci_model::Result;

use crate::strategies::model_questions::prompt::Prompt;

pub use access::{AccessPolicy, NamespaceOwner, NamespaceOwners, Ownership};
pub use background::{BackgroundLoop, RunnerState, Sweep};
pub use copies::{CopyAfterErasure, CopyHooks, NotExamined};
pub use events::{EventContent, EventFilter, EventFilters, EventHooks, TypedContent};
pub(crate) use events::{RecognisedContent, content_in_memory};
pub use jobs::{JobHandler, JobPolicy};
pub use people::{
    ForgottenLookup, ForgottenRemoval, KnownPerson, PeopleHooks, PersonMentions, PersonRemoval,
};
pub use profiles::{ProfileFile, ProfileHooks};
pub use questions::{QuestionKind, ReplyEntries};
pub use records::{Admission, AdmissionPolicy, RecordHooks};
pub use shelves::{AboutRecords, ShelfRules, is_noun};

/// The name of the kernel in errors that name a product.
pub(crate) const KERNEL: &str = "the kernel";

/// A product: its extensions to the kernel, by kind of hook.
#[derive(Clone, Default)]
pub struct Product {
    /// The name of the product in logs and errors.
    pub name: &'static str,
    /// The handler for changes of records.
    pub records: Option<Arc<dyn RecordHooks>>,
    /// The rule that decides which records must wait for a person before they become active.
    pub admission: Option<Arc<dyn AdmissionPolicy>>,
    /// The handler for events that are stored, read or deleted.
    pub events: Option<Arc<dyn EventHooks>>,
    /// The rule by which data belongs to users.
    pub access: Option<Arc<dyn AccessPolicy>>,
    /// The handler that adjusts profiles to the server's settings.
    pub profiles: Option<Arc<dyn ProfileHooks>>,
    /// The copies of data outside of the store that the product keeps.
    pub copies: Option<Arc<dyn CopyHooks>>,
    /// The access to the people whom the product knows.
    pub people: Option<Arc<dyn PeopleHooks>>,
    /// Files of the memory profiles that the product ships.
    pub profile_files: Vec<ProfileFile>,
    /// Texts that the prompts of worker agents include, each with the name of its profile.
    pub agent_prompts: Vec<(&'static str, &'static str)>,
    /// The handlers of the product's kinds of jobs.
    pub jobs: Vec<Arc<dyn JobHandler>>,
    /// The ledger shelves of the product, with the rules for their entries.
    pub shelves: Vec<ShelfRules>,
    /// The product's parts of the sweep, which removes outdated data.
    pub sweeps: Vec<Arc<dyn Sweep>>,
    /// Loops that run in parallel to the jobs.
    pub loops: Vec<Arc<dyn BackgroundLoop>>,
    /// The prompts with which the product asks language models.
    pub prompts: Vec<&'static Prompt>,
    /// The steps in which the product's jobs ask language models.
    pub questions: Vec<QuestionKind>,
}

/// The products of an engine, in the order of registration.
#[derive(Clone)]
pub struct Products(Arc<[Product]>);

impl Default for Products {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl std::fmt::Debug for Products {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|product| product.name)).finish()
    }
}

impl Products {
    /// Creates the list of products in this order.
    pub fn new(products: Vec<Product>) -> Self {
        Self(products.into())
    }

    /// Checks that the registrations of all products are valid and consistent. A program does so
    /// once at its start.
    ///
    /// # Errors
    /// A bug that names the product and its invalid or duplicate registration.
    pub fn check(&self) -> Result<()> {
        self.check_shelves()?;
        self.check_profiles()?;
        self.check_jobs()?;
        self.check_prompts()
    }

    /// Returns the handlers of jobs, each with the name of its product.
    pub(crate) fn named_jobs(&self) -> impl Iterator<Item = (&'static str, &Arc<dyn JobHandler>)> {
        self.0.iter().flat_map(|product| product.jobs.iter().map(|handler| (product.name, handler)))
    }

    pub(crate) fn jobs(&self) -> impl Iterator<Item = &Arc<dyn JobHandler>> {
        self.0.iter().flat_map(|product| &product.jobs)
    }
}
