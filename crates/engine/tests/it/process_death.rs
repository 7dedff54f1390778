//! A process that dies at a chosen step: a write, a question to a model, a delivery, an object.
//! Nothing continues after it; the driver of the engine detects it and drops everything, as a kill
//! does.
//!
//! A commit that the store had begun may still complete, as with a real store.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use loci_engine::{EngineParts, Models};
use loci_model::Result;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::BoxFuture;
use loci_model::ports::deliver::{Deliver, DeliveryResult, Notice, TargetInfo};
use loci_model::ports::language_model::{Completion, LanguageModel, ModelError, Reply};
use loci_model::ports::objects::{ObjectStoreResult, Objects};
use loci_model::ports::store::{ReadWork, Store, WriteWork};
use loci_testkit_ports::{RecordingTargets, ScriptedModel};

/// The moment of death relative to a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The step has no effect.
    Before,
    /// The step takes effect, but its result is lost.
    After,
}

/// The scheduled death of a process, if any.
#[derive(Default)]
pub(crate) struct ScheduledDeath {
    steps: AtomicI64,
    /// The last step, and the moment relative to it.
    last: Mutex<Option<(i64, Moment)>>,
    dead: AtomicBool,
    waits: Mutex<Option<Waker>>,
}

impl ScheduledDeath {
    /// Schedules the death at the `number`th step from now.
    pub(crate) fn arm(&self, number: i64, moment: Moment) {
        *self.last.lock().unwrap() = Some((self.steps() + number, moment));
    }

    /// Returns the number of steps so far.
    pub(crate) fn steps(&self) -> i64 {
        self.steps.load(Ordering::SeqCst)
    }

    /// Waits for the death.
    pub(crate) async fn comes(&self) {
        std::future::poll_fn(|context| {
            *self.waits.lock().unwrap() = Some(context.waker().clone());
            if self.dead.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    async fn die<T>(&self) -> T {
        self.dead.store(true, Ordering::SeqCst);
        if let Some(waker) = self.waits.lock().unwrap().take() {
            waker.wake();
        }
        std::future::pending().await
    }

    /// Runs work unless the process is dead.
    async fn alive<T>(&self, work: impl Future<Output = T>) -> T {
        if self.dead.load(Ordering::SeqCst) { self.die().await } else { work.await }
    }

    /// Runs a step, which is counted and may be the last one.
    async fn step<T>(&self, work: impl Future<Output = T>) -> T {
        let number = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        let last = *self.last.lock().unwrap();
        let moment = last.filter(|(last, _)| *last == number).map(|(_, moment)| moment);
        if moment == Some(Moment::Before) {
            return self.die().await;
        }
        let done = self.alive(work).await;
        if moment == Some(Moment::After) { self.die().await } else { self.alive(async { done }).await }
    }
}

/// The ports of a process that dies.
pub(crate) struct MortalPorts<T: ?Sized> {
    inner: Arc<T>,
    death: Arc<ScheduledDeath>,
}

/// Wraps store, model and targets so that they die.
pub(crate) fn mortal(
    parts: &mut EngineParts,
    death: &Arc<ScheduledDeath>,
    model: &Arc<ScriptedModel>,
    targets: &Arc<RecordingTargets>,
) {
    fn dying<T: ?Sized>(inner: &Arc<T>, death: &Arc<ScheduledDeath>) -> Arc<MortalPorts<T>> {
        Arc::new(MortalPorts { inner: inner.clone(), death: death.clone() })
    }
    parts.store = dying(&parts.store, death);
    parts.models =
        Models { mode: ModelMode::Provider, default: Some(dying(model, death)), ..Models::default() };
    parts.deliver = Some(dying(targets, death));
    parts.objects = Some(dying(targets, death));
}

impl Store for MortalPorts<dyn Store> {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.death.step(async move { self.inner.write_boxed(work).await }))
    }

    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.death.alive(async move { self.inner.read_boxed(work).await }))
    }

    loci_testkit_ports::as_within!();
}

impl LanguageModel for MortalPorts<ScriptedModel> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn complete<'a>(
        &'a self,
        completion: &'a Completion,
    ) -> BoxFuture<'a, std::result::Result<Reply, ModelError>> {
        Box::pin(self.death.step(async move { self.inner.complete(completion).await }))
    }
}

impl Deliver for MortalPorts<RecordingTargets> {
    fn deliver(&self, notice: Notice) -> BoxFuture<'_, Result<DeliveryResult>> {
        Box::pin(self.death.step(async move { self.inner.deliver(notice).await }))
    }

    fn reaches(&self, target: &str) -> bool {
        self.inner.reaches(target)
    }

    fn known(&self) -> Vec<TargetInfo> {
        self.inner.known()
    }
}

impl Objects for MortalPorts<RecordingTargets> {
    fn put(&self, bucket: &str, key: &str, bytes: Vec<u8>) -> BoxFuture<'_, Result<ObjectStoreResult>> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        Box::pin(self.death.step(async move { self.inner.put(&bucket, &key, bytes).await }))
    }
}
