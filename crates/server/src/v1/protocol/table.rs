//! The table of operations. Each line creates a route and an entry of the OpenAPI document, so
//! neither can be forgotten.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use futures::future::BoxFuture;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use loci_api::Nothing;
use loci_api::operation::{Method, Operation, OperationDescription};
use loci_model::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::call::{self, Call, RepairMark, WithoutQuery};
use super::problem::{self, ProblemResponse};
use crate::doors::Doors;
use crate::operations::observe;

/// Returns the route filter of a method.
fn filter(method: Method) -> MethodFilter {
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Patch => MethodFilter::PATCH,
        Method::Delete => MethodFilter::DELETE,
    }
}

/// Returns the status of success.
fn status(place: OperationDescription) -> StatusCode {
    StatusCode::from_u16(place.status).unwrap_or(StatusCode::OK)
}

/// The schemas of the document, by name.
pub(super) type Schemas = Vec<(String, RefOr<Schema>)>;
/// A function that registers a schema with those it refers to, and returns its name. It runs when a
/// client requests the document, which is rare.
pub(super) type SchemaFunction = fn(&mut Schemas) -> String;
/// The members of a query.
pub(super) type Members = fn() -> RefOr<Schema>;

/// The form of a request or a response.
#[derive(Clone, Copy)]
pub(in crate::v1) enum SchemaForm {
    /// The request or response is empty.
    None,
    /// The request has members in its query string, and no body.
    Query(Members),
    /// JSON of the named schema.
    Json(SchemaFunction),
    /// JSON of the named schema, or empty with status 204.
    Maybe(SchemaFunction),
    /// JSON of the named schema, and members of the query.
    JsonAndQuery(SchemaFunction, Members),
    /// The request or response consists of JSON lines.
    Lines,
    /// The request or response consists of bytes.
    Bytes,
}

impl SchemaForm {
    /// Returns JSON of this shape, or `SchemaForm::None` for the empty one.
    pub(in crate::v1) fn json<T: ToSchema + 'static>() -> Self {
        if std::any::TypeId::of::<T>() == std::any::TypeId::of::<Nothing>() {
            return Self::None;
        }
        Self::Json(named::<T>)
    }

    /// Returns the members of this shape in the query.
    pub(in crate::v1) fn query<Q: ToSchema>() -> Self {
        Self::Query(Q::schema)
    }

    /// Returns this form with members of the query in addition to its body.
    pub(in crate::v1) fn and_query<Q: ToSchema>(self) -> Self {
        match self {
            Self::Json(name) => Self::JsonAndQuery(name, Q::schema),
            other => other,
        }
    }
}

fn named<T: ToSchema>(schemas: &mut Schemas) -> String {
    let name = T::name().into_owned();
    T::schemas(schemas);
    schemas.push((name.clone(), T::schema()));
    name
}

/// An operation as described in the document.
pub(in crate::v1) struct Described {
    pub(in crate::v1) place: OperationDescription,
    pub(in crate::v1) request: SchemaForm,
    pub(in crate::v1) answer: SchemaForm,
}

/// The routes and their descriptions.
#[derive(Default)]
pub(in crate::v1) struct Table {
    pub(in crate::v1) router: Router<Doors>,
    pub(in crate::v1) described: Vec<Described>,
}

/// The work of a route: from a request of a known caller to a response. It is boxed, so that its
/// callers are compiled once for all routes.
type RouteWork = Arc<dyn Fn(Call, Parts) -> BoxFuture<'static, Result<Response>> + Send + Sync>;

/// Returns a response with JSON and the status of success.
fn answered(status: StatusCode, answer: &impl Serialize) -> Result<Response> {
    let body = serde_json::to_vec(answer);
    let body = body.map_err(|error| Error::bug("an answer that cannot be written").caused_by(error))?;
    Ok((status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response())
}

impl Table {
    /// Adds an operation whose request is the body.
    pub(in crate::v1) fn json<Q, A, F, Answer>(self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Answer + Copy + Send + Sync + 'static,
        Answer: Future<Output = Result<A>> + Send,
    {
        let (place, request, answer) = (operation.place, SchemaForm::json::<Q>(), SchemaForm::json::<A>());
        let work: RouteWork = Arc::new(move |call, _| {
            Box::pin(async move {
                let asked = call.json()?;
                answered(status(place), &work(call, asked).await?)
            })
        });
        self.route(Described { place, request, answer }, work)
    }

    /// Adds an operation whose request is the body, and which returns 201 or, if it created
    /// nothing, 200.
    pub(in crate::v1) fn made<Q, A, F, Answer>(self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Answer + Copy + Send + Sync + 'static,
        Answer: Future<Output = Result<(A, bool)>> + Send,
    {
        self.marked(operation, work, |response, is_made| {
            if !is_made {
                *response.status_mut() = StatusCode::OK;
            }
        })
    }

    /// Adds an operation whose request is the body, and whose response has a header that marks a
    /// replay for an idempotency key.
    pub(in crate::v1) fn replayed<Q, A, F, Answer>(self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Answer + Copy + Send + Sync + 'static,
        Answer: Future<Output = Result<(A, bool)>> + Send,
    {
        self.marked(operation, work, |response, is_replayed| {
            if is_replayed {
                response.headers_mut().insert(call::REPLAYED, HeaderValue::from_static("true"));
            }
        })
    }

    /// Adds an operation whose request is the body, and marks its response depending on the result.
    fn marked<Q, A, F, Answer>(
        self,
        operation: Operation<Q, A>,
        work: F,
        mark: fn(&mut Response, bool),
    ) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Answer + Copy + Send + Sync + 'static,
        Answer: Future<Output = Result<(A, bool)>> + Send,
    {
        let (place, request, answer) = (operation.place, SchemaForm::json::<Q>(), SchemaForm::json::<A>());
        let work: RouteWork = Arc::new(move |call, _| {
            Box::pin(async move {
                let asked = call.json()?;
                let (answer, word) = work(call, asked).await?;
                let mut response = answered(status(place), &answer)?;
                mark(&mut response, word);
                Ok(response)
            })
        });
        self.route(Described { place, request, answer }, work)
    }

    /// Adds an operation whose request is the query.
    pub(in crate::v1) fn query<Q, A, F, Answer>(self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Answer + Copy + Send + Sync + 'static,
        Answer: Future<Output = Result<A>> + Send,
    {
        let place = operation.place;
        let (request, answer) = (SchemaForm::query::<Q>(), SchemaForm::json::<A>());
        let work: RouteWork = Arc::new(move |call, parts| {
            Box::pin(async move {
                let asked = call::query(&parts)?;
                answered(status(place), &work(call, asked).await?)
            })
        });
        self.route(Described { place, request, answer }, work)
    }

    /// Adds an operation whose request is the body, and which returns 204 without a result.
    pub(in crate::v1) fn maybe<Q, A, F, Answer>(self, operation: Operation<Q, A>, work: F) -> Self
    where
        Q: DeserializeOwned + ToSchema + Send + 'static,
        A: Serialize + ToSchema + 'static,
        F: Fn(Call, Q) -> Answer + Copy + Send + Sync + 'static,
        Answer: Future<Output = Result<Option<A>>> + Send,
    {
        let (place, request) = (operation.place, SchemaForm::json::<Q>());
        let answer = match SchemaForm::json::<A>() {
            SchemaForm::Json(name) => SchemaForm::Maybe(name),
            other => other,
        };
        let work: RouteWork = Arc::new(move |call, _| {
            Box::pin(async move {
                let asked = call.json()?;
                match work(call, asked).await? {
                    Some(answer) => answered(status(place), &answer),
                    None => Ok(StatusCode::NO_CONTENT.into_response()),
                }
            })
        });
        self.route(Described { place, request, answer }, work)
    }

    /// Adds an operation whose request is its path alone.
    pub(in crate::v1) fn plain<A, F, Answer>(self, operation: Operation<Nothing, A>, work: F) -> Self
    where
        A: Serialize + ToSchema + 'static,
        F: Fn(Call) -> Answer + Copy + Send + Sync + 'static,
        Answer: Future<Output = Result<A>> + Send,
    {
        let (place, answer) = (operation.place, SchemaForm::json::<A>());
        let work: RouteWork =
            Arc::new(move |call, _| Box::pin(async move { answered(status(place), &work(call).await?) }));
        self.route(Described { place, request: SchemaForm::None, answer }, work)
    }

    /// Adds an operation whose request is parsed before its work begins.
    fn route(self, described: Described, work: RouteWork) -> Self {
        self.stream(described, move |doors, request| {
            let work = work.clone();
            async move {
                let (call, parts) = Call::begin(doors, request).await?;
                work(call, parts).await
            }
        })
    }

    /// Adds an operation that reads or writes a stream, and therefore parses its request itself.
    pub(in crate::v1) fn stream<F, Answer>(mut self, described: Described, work: F) -> Self
    where
        F: Fn(Doors, Request) -> Answer + Clone + Send + Sync + 'static,
        Answer: Future<Output = Result<Response>> + Send + 'static,
    {
        let place = described.place;
        let has_query = matches!(described.request, SchemaForm::Query(_) | SchemaForm::JsonAndQuery(..));
        self.described.push(described);
        let handler = move |State(doors): State<Doors>, mut request: Request| {
            let repaired = RepairMark::of(&mut request);
            if !has_query {
                request.extensions_mut().insert(WithoutQuery);
            }
            let outcome = work(doors, request);
            async move { finished(place, &repaired, outcome.await.map_err(ProblemResponse).into_response()) }
        };
        self.router = self.router.route(place.path, on(filter(place.method), handler));
        self
    }

    /// Answers a `GET` of an operation that became a `POST` with 405 and the name of the `POST`,
    /// and so every other method. A `GET` must have no effects, because a page of any host can make
    /// a browser send one.
    pub(in crate::v1) fn formerly_get(mut self, place: OperationDescription) -> Self {
        let handler = move || async move { problem::post_required(place.path) };
        // A fallback is no method of the path, so the header Allow names only the `POST`.
        self.router = self.router.route(place.path, MethodRouter::new().fallback(handler));
        self
    }
}

/// Returns a response with its operation's name for the metrics, and its warnings.
fn finished(place: OperationDescription, repaired: &RepairMark, mut response: Response) -> Response {
    let name = format!("{} {}", place.method.as_str(), place.path);
    response.extensions_mut().insert(observe::Operation(name.into()));
    repaired.warn(response.headers_mut());
    response
}
