//! The table of operations: each line makes a route and an entry of the OpenAPI document, so neither can be forgotten.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Json, Router};
use http::{HeaderValue, StatusCode};
use loci_api::Nothing;
use loci_api::operation::{Method, Operation, Place};
use loci_model::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::call::{self, Call, RepairMark};
use super::problem::{self, Refused};
use crate::doors::Doors;
use crate::operations::observe;

/// The filter of a method for routes.
fn filter(method: Method) -> MethodFilter {
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Patch => MethodFilter::PATCH,
        Method::Delete => MethodFilter::DELETE,
    }
}

/// The status of success.
fn status(place: Place) -> StatusCode {
    StatusCode::from_u16(place.status).unwrap_or(StatusCode::OK)
}

/// How a request or an answer is written.
#[derive(Clone)]
pub(in crate::v1) enum Form {
    /// Nothing.
    None,
    /// Members of the query.
    Query(Box<RefOr<Schema>>),
    /// JSON of the named schema.
    Json(String),
    /// The same, or nothing with status 204.
    Maybe(String),
    /// JSON of the named schema, and members of the query beside it.
    JsonAndQuery(String, Box<RefOr<Schema>>),
    /// JSON lines.
    Lines,
    /// Bytes.
    Bytes,
}

impl Form {
    /// The same with members of the query beside its body.
    pub(in crate::v1) fn and_query<Q: ToSchema>(self) -> Self {
        match self {
            Self::Json(name) => Self::JsonAndQuery(name, Box::new(Q::schema())),
            other => other,
        }
    }
}

/// An operation as the document shows it.
pub(in crate::v1) struct Described {
    pub(in crate::v1) place: Place,
    pub(in crate::v1) request: Form,
    pub(in crate::v1) answer: Form,
}

/// Routes and their descriptions.
#[derive(Default)]
pub(in crate::v1) struct Table {
    pub(in crate::v1) router: Router<Doors>,
    pub(in crate::v1) described: Vec<Described>,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
}

impl Table {
    /// An operation whose request is the body.
    pub(in crate::v1) fn json<Q, A, F, Work>(mut self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<A>> + Send,
    {
        let (place, request, answer) = (operation.place, self.named::<Q>(), self.named::<A>());
        self.described.push(Described { place, request, answer });
        self.route(place, move |doors, request| {
            let work = work.clone();
            async move {
                let (call, _) = Call::begin(doors, request).await?;
                let asked = call.json()?;
                work(call, asked).await
            }
        })
    }

    /// An operation whose request is the body and whose answer says whether it made anything: 200 where it did not.
    pub(in crate::v1) fn made<Q, A, F, Work>(self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<(A, bool)>> + Send,
    {
        self.answered(operation.place, work, |place, answer, made| {
            (if made { status(place) } else { StatusCode::OK }, Json(answer)).into_response()
        })
    }

    /// An operation whose request is the body and whose answer says in a header whether an earlier
    /// request with the same idempotency key got it.
    pub(in crate::v1) fn replayed<Q, A, F, Work>(self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<(A, bool)>> + Send,
    {
        self.answered(operation.place, work, |place, answer, is_replayed| {
            let mut response = (status(place), Json(answer)).into_response();
            if is_replayed {
                response.headers_mut().insert(call::REPLAYED, HeaderValue::from_static("true"));
            }
            response
        })
    }

    /// An operation whose request is the body, and whose response is made of its answer and of a
    /// word about it.
    fn answered<Q, A, F, Work>(
        mut self,
        place: Place,
        work: F,
        respond: fn(Place, A, bool) -> Response,
    ) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<(A, bool)>> + Send,
    {
        let (request, answer) = (self.named::<Q>(), self.named::<A>());
        self.described.push(Described { place, request, answer });
        self.handle(place, move |doors, request| {
            let work = work.clone();
            async move {
                let (call, _) = Call::begin(doors, request).await?;
                let asked = call.json()?;
                let (answer, word) = work(call, asked).await?;
                Ok(respond(place, answer, word))
            }
        })
    }

    /// An operation whose request is the query.
    pub(in crate::v1) fn query<Q, A, F, Work>(mut self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<A>> + Send,
    {
        let place = operation.place;
        let (request, answer) = (Form::Query(Box::new(Q::schema())), self.named::<A>());
        self.described.push(Described { place, request, answer });
        self.route(place, move |doors, request| {
            let work = work.clone();
            async move {
                let (call, parts) = Call::begin(doors, request).await?;
                let asked = call::query(&parts)?;
                work(call, asked).await
            }
        })
    }

    /// An operation whose request is the body, and which may have nothing to answer: 204 then.
    pub(in crate::v1) fn maybe<Q, A, F, Work>(mut self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<Option<A>>> + Send,
    {
        let (place, request) = (operation.place, self.named::<Q>());
        let answer = match self.named::<A>() {
            Form::Json(name) => Form::Maybe(name),
            other => other,
        };
        self.described.push(Described { place, request, answer });
        self.handle(place, move |doors, request| {
            let work = work.clone();
            async move {
                let (call, _) = Call::begin(doors, request).await?;
                let asked = call.json()?;
                let found = work(call, asked).await;
                found.map(|found| match found {
                    Some(answer) => (status(place), Json(answer)).into_response(),
                    None => StatusCode::NO_CONTENT.into_response(),
                })
            }
        })
    }

    /// An operation that is all in its path.
    pub(in crate::v1) fn plain<A, F, Work>(mut self, operation: Operation<Nothing, A>, work: F) -> Self
    where
        A: Serialize + ToSchema + 'static,
        F: Fn(Call) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<A>> + Send,
    {
        let (place, answer) = (operation.place, self.named::<A>());
        self.described.push(Described { place, request: Form::None, answer });
        self.route(place, move |doors, request| {
            let work = work.clone();
            async move {
                let (call, _) = Call::begin(doors, request).await?;
                work(call).await
            }
        })
    }

    /// An operation that reads or writes a stream and therefore its request itself.
    pub(in crate::v1) fn stream<F, Work>(mut self, described: Described, work: F) -> Self
    where
        F: Fn(Doors, Request) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<Response>> + Send + 'static,
    {
        let place = described.place;
        self.described.push(described);
        let handler = move |State(doors): State<Doors>, mut request: Request| {
            let repaired = RepairMark::of(&mut request);
            let outcome = work(doors, request);
            async move { finished(place, &repaired, outcome.await.map_err(Refused).into_response()) }
        };
        self.router = self.router.route(place.path, on(filter(place.method), handler));
        self
    }

    /// Answers the `GET` that an operation was before it became a `POST` with 405 and the name of the
    /// `POST`. A `GET` has no effects: a page of any host can make a browser send one.
    pub(in crate::v1) fn formerly_get(mut self, place: Place) -> Self {
        let place = Place { method: Method::Get, ..place };
        let handler = move || async move {
            finished(place, &RepairMark::default(), problem::method_not_allowed(place.path))
        };
        self.router = self.router.route(place.path, on(MethodFilter::GET, handler));
        self
    }

    fn route<A, F, Work>(self, place: Place, work: F) -> Self
    where
        A: Serialize + 'static,
        F: Fn(Doors, Request) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<A>> + Send,
    {
        self.handle(place, move |doors, request| {
            let work = work.clone();
            async move {
                let answer = work(doors, request).await;
                answer.map(|answer| (status(place), Json(answer)).into_response())
            }
        })
    }

    fn handle<F, Work>(mut self, place: Place, work: F) -> Self
    where
        F: Fn(Doors, Request) -> Work + Clone + Send + Sync + 'static,
        Work: Future<Output = Result<Response>> + Send,
    {
        let handler = move |State(doors): State<Doors>, mut request: Request| {
            let work = work.clone();
            let repaired = RepairMark::of(&mut request);
            async move {
                let response = work(doors, request).await.map_err(Refused).into_response();
                finished(place, &repaired, response)
            }
        };
        self.router = self.router.route(place.path, on(filter(place.method), handler));
        self
    }

    /// Registers a schema with those it refers to; `Form::None` for the empty one.
    pub(in crate::v1) fn named<T: ToSchema + 'static>(&mut self) -> Form {
        if std::any::TypeId::of::<T>() == std::any::TypeId::of::<Nothing>() {
            return Form::None;
        }
        let name = T::name().into_owned();
        T::schemas(&mut self.schemas);
        self.schemas.push((name.clone(), T::schema()));
        Form::Json(name)
    }
}

/// A response with its operation's name for whoever counts, and its warnings.
fn finished(place: Place, repaired: &RepairMark, mut response: Response) -> Response {
    let name = format!("{} {}", place.method.as_str(), place.path);
    response.extensions_mut().insert(observe::Operation(name.into()));
    repaired.warn(response.headers_mut());
    response
}
