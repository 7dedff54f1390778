//! The common setup of the tests: forges that read the test forge, with a manual clock.

use std::sync::{Arc, Mutex};

use loci_forges::config::{ForgeConfig, ForgeKind};
use loci_forges::forges::{ForgeOptions, ForgeParts, Forges};
use loci_model::facts::code::ObjectId;
use loci_model::ports::code::{CodePlace, CodeResult, CodeSource, CodeSources};
use loci_model::ports::observe::NoObserver;
use loci_outbound::client::{Outbound, OutboundOptions, OutboundParts};
use loci_outbound::secret::Secret;
use loci_testkit_ports::{ManualClock, SeededIds};
use tokio::runtime::Handle;

use crate::test_forge::Hub;

/// The token of most tests.
pub(crate) const TOKEN: &str = "reader-hidden";

/// Forges with their clock.
pub(crate) struct World {
    pub(crate) forges: Forges,
    pub(crate) clock: ManualClock,
}

/// Returns a configured forge that leads to the test forge.
pub(crate) fn forge(host: &str, hub: &Hub, token: Option<&str>) -> ForgeConfig {
    if let Some(token) = token {
        hub.model().tokens.insert(token.to_owned());
    }
    ForgeConfig {
        kind: ForgeKind::GitHub,
        host: host.to_owned(),
        api: Some(hub.url.clone()),
        token: token.map(Secret::from),
        version: None,
    }
}

/// Creates forges with these configurations.
pub(crate) fn world(forges: &[ForgeConfig], options: ForgeOptions) -> World {
    let clock = ManualClock::default();
    let parts =
        OutboundParts::new(Arc::new(clock.clone()), Arc::new(SeededIds::new(7)), Arc::new(NoObserver));
    let parts = ForgeParts {
        transport: Arc::new(Outbound::new(OutboundOptions::default(), parts).unwrap()),
        clock: Arc::new(clock.clone()),
        runtime: Handle::current(),
    };
    World { forges: Forges::new(forges, options, parts).unwrap(), clock }
}

/// Creates `github.com` at the test forge, with the usual token.
pub(crate) fn plain(hub: &Hub) -> World {
    world(&[forge("github.com", hub, Some(TOKEN))], ForgeOptions::default())
}

pub(crate) fn place(path: &str) -> CodePlace {
    CodePlace::Forge { host: "github.com".to_owned(), path: path.to_owned() }
}

pub(crate) fn object(id: &str) -> ObjectId {
    ObjectId::parse(id).unwrap()
}

impl World {
    /// Runs `work` on the repository `o/r`.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn CodeSource) -> T + Send + 'static,
    ) -> T {
        self.read_at(place("o/r"), work).await.unwrap()
    }

    /// Runs `work` on any repository.
    pub(crate) async fn read_at<T: Send + 'static>(
        &self,
        place: CodePlace,
        work: impl FnOnce(&dyn CodeSource) -> T + Send + 'static,
    ) -> CodeResult<T> {
        let out = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&out);
        let work = Box::new(move |source: &dyn CodeSource| *slot.lock().unwrap() = Some(work(source)));
        self.forges.read(&place, work).await?;
        let outcome = out.lock().unwrap().take();
        Ok(outcome.expect("the work has run"))
    }
}
