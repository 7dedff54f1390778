//! Who asks the engine, and where they stand: what a door knows once it has let a caller in. What the native API and the tools do
//! alike takes one of these, so that both doors ask and answer the same.

use loci_engine::calls::standing::Standing;
use loci_model::principal::Principal;
use loci_products::Loci;

/// A caller before the engine.
pub(crate) struct Asking<'a> {
    pub(crate) engine: &'a Loci,
    pub(crate) caller: &'a Principal,
    pub(crate) standing: Standing,
}
