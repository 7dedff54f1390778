//! The engine with its products: the one place where each product registers with the kernel, in the
//! order of their dependencies. Doors, tests and programs hold a [`Loci`]. A product is a feature
//! of this crate: a program without it has neither its operations nor its jobs.
//!
//! To add a product: a feature, its settings in [`LociSettings`], its parts in `ProductParts`, its
//! handle in [`Loci`].

#[cfg(all(test, feature = "coding", feature = "documents", feature = "operations"))]
mod shelf_tests;

use std::ops::Deref;

#[cfg(feature = "coding")]
use loci_coding::{Coding, CodingParts, CodingSettings};
#[cfg(feature = "documents")]
use loci_documents::{Documents, DocumentsParts, DocumentsSettings};
use loci_engine::hooks::Product;
use loci_engine::{Engine, EngineParts, EngineSettings, LongWorkCount};
#[cfg(feature = "operations")]
use loci_operations::{Operations, OperationsParts, SreSettingsByMemory};
#[cfg(feature = "verified")]
use loci_verified::{Verified, VerifiedParts, VerifiedSettings};

/// The settings of the engine and of each product.
#[derive(Debug, Clone, Default)]
pub struct LociSettings {
    /// The settings of the kernel.
    pub engine: EngineSettings,
    /// The settings of facts with citations.
    #[cfg(feature = "verified")]
    pub verified: VerifiedSettings,
    /// The settings of the memory of coding agents.
    #[cfg(feature = "coding")]
    pub coding: CodingSettings,
    /// The settings of documents.
    #[cfg(feature = "documents")]
    pub documents: DocumentsSettings,
    /// The settings of operations memory, by memory.
    #[cfg(feature = "operations")]
    pub operations: SreSettingsByMemory,
}

impl From<EngineSettings> for LociSettings {
    #[cfg_attr(
        not(any(feature = "verified", feature = "documents", feature = "operations")),
        expect(clippy::needless_update, reason = "there are no further members without products")
    )]
    fn from(engine: EngineSettings) -> Self {
        Self { engine, ..Self::default() }
    }
}

#[cfg(feature = "documents")]
impl From<DocumentsSettings> for LociSettings {
    fn from(documents: DocumentsSettings) -> Self {
        Self { documents, ..Self::default() }
    }
}

#[cfg(feature = "verified")]
impl From<VerifiedSettings> for LociSettings {
    fn from(verified: VerifiedSettings) -> Self {
        Self { verified, ..Self::default() }
    }
}

#[cfg(feature = "coding")]
impl From<CodingSettings> for LociSettings {
    fn from(coding: CodingSettings) -> Self {
        Self { coding, ..Self::default() }
    }
}

/// An engine and its registered products, cheap to clone. The operations of the kernel are its own
/// methods, and those of a product are methods of its field.
#[derive(Clone)]
pub struct Loci {
    /// The kernel.
    pub engine: Engine,
    /// Facts that cite code.
    #[cfg(feature = "verified")]
    pub verified: Verified,
    /// The memory of coding agents.
    #[cfg(feature = "coding")]
    pub coding: Coding,
    /// Memories as files.
    #[cfg(feature = "documents")]
    pub documents: Documents,
    /// The memory of agents that operate services.
    #[cfg(feature = "operations")]
    pub operations: Operations,
}

impl Loci {
    /// Returns an engine over these adapters, with all products of the program.
    pub fn new(parts: EngineParts, settings: impl Into<LociSettings>) -> Self {
        let settings = settings.into();
        let kernel = settings.engine.clone();
        let registered = ProductParts::new(settings, parts.long_work_count.clone());
        let mut products = parts.products.clone();
        products.extend(registered.products());
        let engine = Engine::new(EngineParts { products, ..parts }, kernel);
        #[cfg(feature = "verified")]
        let verified = Verified::new(engine.clone(), &registered.verified);
        Self {
            #[cfg(feature = "coding")]
            coding: Coding::new(verified.clone(), &registered.coding),
            #[cfg(feature = "verified")]
            verified,
            #[cfg(feature = "documents")]
            documents: Documents::new(engine.clone(), &registered.documents),
            #[cfg(feature = "operations")]
            operations: Operations::new(engine.clone(), &registered.operations),
            engine,
        }
    }

    /// True for the name of a memory that a product creates automatically if its operations need
    /// one.
    pub fn makes_memory(&self, name: &str) -> bool {
        #[cfg(feature = "verified")]
        return self.verified.settings().memory == name;
        #[cfg(not(feature = "verified"))]
        return name.is_empty();
    }
}

/// The parts of each product.
struct ProductParts {
    #[cfg(feature = "verified")]
    verified: VerifiedParts,
    #[cfg(feature = "coding")]
    coding: CodingParts,
    #[cfg(feature = "documents")]
    documents: DocumentsParts,
    #[cfg(feature = "operations")]
    operations: OperationsParts,
}

impl ProductParts {
    #[cfg_attr(
        not(feature = "documents"),
        expect(unused_variables, reason = "documents alone count long work")
    )]
    fn new(settings: LociSettings, long_work_count: LongWorkCount) -> Self {
        #[cfg(feature = "coding")]
        let coding = CodingParts::new(settings.coding);
        #[cfg(feature = "coding")]
        let repository_hooks = vec![coding.repository_hooks()];
        #[cfg(all(feature = "verified", not(feature = "coding")))]
        let repository_hooks = Vec::new();
        Self {
            #[cfg(feature = "verified")]
            verified: VerifiedParts::new(settings.verified, repository_hooks),
            #[cfg(feature = "coding")]
            coding,
            #[cfg(feature = "documents")]
            documents: DocumentsParts::new(settings.documents, long_work_count),
            #[cfg(feature = "operations")]
            operations: OperationsParts::new(settings.operations),
        }
    }

    /// Returns the additions of each product to the kernel, in the order of their dependencies.
    fn products(&self) -> Vec<Product> {
        vec![
            #[cfg(feature = "verified")]
            self.verified.product(),
            #[cfg(feature = "coding")]
            self.coding.product(&self.verified),
            #[cfg(feature = "documents")]
            self.documents.product(),
            #[cfg(feature = "operations")]
            self.operations.product(),
        ]
    }
}

impl Deref for Loci {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}
