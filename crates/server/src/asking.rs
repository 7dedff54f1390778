//! A caller that a door has let in, with the engine and the surroundings of the call. A function that
//! the native API and the tools share takes one, so that both doors ask and answer the same.

use loci_engine::calls::standing::Standing;
use loci_model::principal::Principal;
use loci_products::Loci;

/// A caller before the engine.
pub(crate) struct Asking<'a> {
    pub(crate) engine: &'a Loci,
    pub(crate) caller: &'a Principal,
    pub(crate) standing: Standing,
}
